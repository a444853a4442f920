package io.sluice.client;

import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/// The broker lacks what the chosen delivery needs; for now that is always exactly-once without transactions.
///
/// Immutable.
public final class DeliveryUnsupportedException extends KafkaException {
    private static final long serialVersionUID = 1L;

    DeliveryUnsupportedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
