package io.sluice.kafka.api;

import java.util.function.BooleanSupplier;

/// What this broker may tell of its own place in the cluster. Thread-safe.
///
/// A broker that was stopped or cut off may have been replaced in everything that it leads, without having heard of it ([Standing][io.sluice.controller.Standing]). It names nobody
/// then, and sends whoever asks to the others.
///
/// @param broker the id of this broker
/// @param certain whether it can take for granted what it last heard of its place
public record OwnPlace(int broker, BooleanSupplier certain) {

    /// Whether clients may be sent to this leader. Whoever may not be told is turned away, with the rest of the answer.
    public boolean mayName(int leader, RequestContext context) {
        boolean may = leader != broker || certain.getAsBoolean();
        if (!may) {
            context.peer().turnAway();
        }
        return may;
    }
}
