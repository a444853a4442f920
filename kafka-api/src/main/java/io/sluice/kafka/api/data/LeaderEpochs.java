package io.sluice.kafka.api.data;

import io.sluice.kafka.wire.ErrorCode;

/// Fencing of clients whose metadata is older or newer than ours (KIP-320).
final class LeaderEpochs {
    private LeaderEpochs() {}

    /// @param believed by the client; negative when it does not say
    static ErrorCode check(int believed, int actual) {
        if (believed < 0 || believed == actual) {
            return ErrorCode.NONE;
        }
        return believed < actual ? ErrorCode.FENCED_LEADER_EPOCH : ErrorCode.UNKNOWN_LEADER_EPOCH;
    }
}
