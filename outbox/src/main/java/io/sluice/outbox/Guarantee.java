package io.sluice.outbox;

import java.util.Locale;

/// How often an event arrives.
public enum Guarantee {
    /// After a crash some events are repeated, with the numbers they had, and so are those that a relay still held that was frozen, behind newer ones: a consumer drops them with
    /// `DuplicateFilter`.
    AT_LEAST_ONCE,
    /// Kafka transactions: a consumer that reads committed records only sees every event once. Needs a broker with transactions.
    EXACTLY_ONCE;

    /// As settings and tables have it.
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
