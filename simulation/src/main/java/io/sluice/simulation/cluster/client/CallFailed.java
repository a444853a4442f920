package io.sluice.simulation.cluster.client;

/// There was no answer; whether the broker has done what it was asked is not known.
final class CallFailed extends RuntimeException {
    CallFailed(String why) {
        super(why, null, false, false);
    }
}
