/// The metadata store under thousands of seeds, and lies that must be found.
@NullMarked
package io.sluice.simulation.metadata;

import org.jspecify.annotations.NullMarked;
