/// What must never happen in a cluster, a class each. Owned by their run.
@NullMarked
package io.sluice.simulation.cluster.invariant;

import org.jspecify.annotations.NullMarked;
