/// The simulated disk under the contract, and the ways in which it fails.
@NullMarked
package io.sluice.simulation.disk;

import org.jspecify.annotations.NullMarked;
