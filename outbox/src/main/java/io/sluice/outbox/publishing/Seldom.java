package io.sluice.outbox.publishing;

import java.util.function.BooleanSupplier;

/// Asks whether to go on, a thousand times a second at most: to ask takes as long as to hand an event over.
///
/// Used by one thread.
final class Seldom implements BooleanSupplier {
    private static final long AGAIN_NANOS = 1_000_000;

    private final BooleanSupplier goOn;
    private boolean asked;
    private boolean answer;
    private long askedAtNanos;

    Seldom(BooleanSupplier goOn) {
        this.goOn = goOn;
    }

    /// What was said last, if that was not long ago.
    @Override
    public boolean getAsBoolean() {
        long now = System.nanoTime();
        if (!asked || now - askedAtNanos > AGAIN_NANOS) {
            asked = true;
            answer = goOn.getAsBoolean();
            askedAtNanos = now;
        }
        return answer;
    }
}
