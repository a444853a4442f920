/// Clusters under thousands of seeds, and mistakes that must be found.
@NullMarked
package io.sluice.simulation.cluster;

import org.jspecify.annotations.NullMarked;
