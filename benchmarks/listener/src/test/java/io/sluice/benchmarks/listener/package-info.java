@NullMarked
package io.sluice.benchmarks.listener;

import org.jspecify.annotations.NullMarked;
