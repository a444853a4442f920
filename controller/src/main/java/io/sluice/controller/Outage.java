package io.sluice.controller;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/// Who has said to this broker, and when, that it takes it for the controller and cannot reach the metadata store either. While everybody says so nobody decides anything, and nobody can have been replaced.
///
/// Owned by the controller's mailbox.
final class Outage {
    private final Map<Integer, Long> saidAt = new HashMap<>();

    /// A sign of life from a broker.
    void heard(int broker, boolean reachesStore, long now) {
        if (reachesStore) {
            saidAt.remove(broker);
        } else {
            saidAt.put(broker, now);
        }
    }

    /// The latest moment at which all of them had said so; empty when one of them has not. With nobody else there it is now.
    OptionalLong sharedAt(Set<Integer> brokers, int self, long now) {
        long shared = now;
        for (int broker : brokers) {
            if (broker == self) {
                continue;
            }
            Long said = saidAt.get(broker);
            if (said == null) {
                return OptionalLong.empty();
            }
            shared = Math.min(shared, said);
        }
        return OptionalLong.of(shared);
    }
}
