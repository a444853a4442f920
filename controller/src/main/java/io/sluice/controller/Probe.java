package io.sluice.controller;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;

/// Looks whether a broker's process is there, by a new connection to its listener. Thread-safe.
public interface Probe {
    /// The reply completes on the home mailbox, within a second or so, and never fails.
    Reply<Result> probe(BrokerView broker, Mailbox home);

    enum Result {
        /// Somebody accepts connections there.
        ALIVE,
        /// The machine answers that nobody listens: the process is gone.
        REFUSED,
        /// No answer: nothing is known.
        SILENT
    }

    /// For a broker that has no others to look for.
    static Probe ofNobody() {
        return (_, _) -> Reply.of(Result.SILENT);
    }
}
