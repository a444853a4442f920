/// The simulated metadata store keeps the contracts that the real ones keep.
@NullMarked
package io.sluice.simulation.coordination;

import org.jspecify.annotations.NullMarked;
