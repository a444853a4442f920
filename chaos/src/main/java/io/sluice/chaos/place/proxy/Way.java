package io.sluice.chaos.place.proxy;

import io.sluice.chaos.place.Port;

/// What one sends to another, on the ports of the metadata store or on all others: what a cut takes away.
///
/// Immutable.
record Way(int from, int to, boolean ofTheStore) {

    static Way on(Port port, int from, int to) {
        return new Way(from, to, port.isOfTheStore());
    }

    Way back() {
        return new Way(to, from, ofTheStore);
    }
}
