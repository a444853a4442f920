/// The log and, later, whole clusters on one thread under simulated faults.
@NullMarked
package io.sluice.simulation;

import org.jspecify.annotations.NullMarked;
