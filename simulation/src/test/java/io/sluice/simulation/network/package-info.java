@NullMarked
package io.sluice.simulation.network;

import org.jspecify.annotations.NullMarked;
