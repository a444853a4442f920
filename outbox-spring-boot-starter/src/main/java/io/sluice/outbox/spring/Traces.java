package io.sluice.outbox.spring;

import java.util.Optional;

/// Tells the trace that runs, as W3C Trace Context's `traceparent`.
///
/// Thread-safe.
@FunctionalInterface
public interface Traces {
    Traces NONE = Optional::empty;

    Optional<String> current();
}
