@NullMarked
package io.sluice.simulation.coordination;

import org.jspecify.annotations.NullMarked;
