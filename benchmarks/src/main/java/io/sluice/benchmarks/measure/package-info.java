/// What is measured: one class per question, each of which puts a load on a broker and returns readings.
///
/// The same code runs against every broker; a measure never knows which one it has before it.
@NullMarked
package io.sluice.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
