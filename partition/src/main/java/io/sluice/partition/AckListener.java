package io.sluice.partition;

/// Somebody who waits until what was appended is safe. Told once.
interface AckListener {
    void onSettled(Settled how);

    enum Settled {
        /// As safe as the topic promises, on every in-sync replica.
        SAFE,
        /// The disk failed first.
        DISK_FAILED,
        /// The leader's term ended first: the next leader may have it or not.
        TERM_ENDED,
        /// The in-sync set became smaller than `min.insync.replicas` first.
        TOO_FEW_IN_SYNC,
        /// Followers were silent, and nobody says any more that this broker leads: the next leader may have it or not.
        IN_DOUBT,
        /// The producer's time was up first.
        TIMED_OUT
    }
}
