/// Sluice's listener beside Spring Cloud AWS: the same queue in another process, the same jobs, in turns.
///
/// [io.sluice.benchmarks.listener.ListenerBench] is the command; a [io.sluice.benchmarks.listener.Subject] is a way to listen, and each
/// measure is a class with one question.
@NullMarked
package io.sluice.benchmarks.listener;

import org.jspecify.annotations.NullMarked;
