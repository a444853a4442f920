package io.sluice.log;

import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;

/// Why a log takes no more appends until it is opened again: its disk failed and nobody knows what is on it. Immutable.
///
/// @param cause for a person
public record LogOffline(String cause) {
    Rejected rejection() {
        return new Rejected(Reason.OFFLINE, "The log is offline: " + cause);
    }
}
