/// The simulated doors under the contracts.
@NullMarked
package io.sluice.simulation;

import org.jspecify.annotations.NullMarked;
