package io.sluice.outbox.spring;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import java.util.Optional;

/// The trace that Micrometer Tracing knows.
///
/// Thread-safe, as the tracer is.
final class MicrometerTraces implements Traces {
    private final Tracer tracer;

    MicrometerTraces(Tracer tracer) {
        this.tracer = tracer;
    }

    @Override
    public Optional<String> current() {
        Span span = tracer.currentSpan();
        if (span == null || span.isNoop()) {
            return Optional.empty();
        }
        TraceContext trace = span.context();
        String sampled = Boolean.TRUE.equals(trace.sampled()) ? "01" : "00";
        return Optional.of("00-" + trace.traceId() + "-" + trace.spanId() + "-" + sampled);
    }
}
