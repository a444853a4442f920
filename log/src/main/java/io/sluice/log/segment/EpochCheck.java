package io.sluice.log.segment;

/// Knows which leader epochs a batch with an offset may have. The leader sets the epoch after the producer has computed the checksum, so that does
/// not cover it.
@FunctionalInterface
public interface EpochCheck {
    boolean allows(int leaderEpoch, long baseOffset);
}
