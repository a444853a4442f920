package io.sluice.kafka.api;

import io.sluice.env.Mailbox;

/// Who asks, and in which version of the API. Immutable.
public record RequestContext(short version, String clientId, Peer peer) {
    public Mailbox home() {
        return peer.home();
    }

    public String clientAddress() {
        return peer.address();
    }

    public String listener() {
        return peer.listener();
    }
}
