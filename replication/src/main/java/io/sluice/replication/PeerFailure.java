package io.sluice.replication;

/// A request to another broker got no answer: whether it was carried out is unknown.
public final class PeerFailure extends RuntimeException {
    private final Kind kind;

    public enum Kind {
        /// Nobody listens at the address: that broker's process is not running.
        REFUSED,
        /// No answer in time.
        TIMED_OUT,
        /// The connection broke, or could not be made.
        BROKEN,
        /// Nothing was sent: the address is unknown, or the last failure is too recent to try again.
        NOT_SENT
    }

    PeerFailure(Kind kind, String sentence) {
        super(sentence, null, false, false); // It happens by the hundred when a broker dies.
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
