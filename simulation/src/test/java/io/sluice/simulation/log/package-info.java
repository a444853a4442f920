/// The log under thousands of seeds, and mistakes that must be found.
@NullMarked
package io.sluice.simulation.log;

import org.jspecify.annotations.NullMarked;
