/// The metadata store of a single node over the simulated disk.
@NullMarked
package io.sluice.simulation.metadata;

import org.jspecify.annotations.NullMarked;
