package io.sluice.client;

/// An override that breaks what the chosen delivery promises. The message names both and says what to do.
///
/// Immutable.
public final class PresetConflictException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    PresetConflictException(
            Delivery delivery, String needed, String given, String reason, String wayOut) {
        super(
                "delivery=%s needs %s, but %s was given: %s. %s."
                        .formatted(delivery.label(), needed, given, reason, wayOut));
    }
}
