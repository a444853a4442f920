/// Main: configuration, wiring by hand in start order, metrics, admin HTTP.
@NullMarked
package io.sluice.broker;

import org.jspecify.annotations.NullMarked;
