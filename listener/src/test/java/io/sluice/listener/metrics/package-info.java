@NullMarked
package io.sluice.listener.metrics;

import org.jspecify.annotations.NullMarked;
