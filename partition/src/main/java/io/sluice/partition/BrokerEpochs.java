package io.sluice.partition;

/// Which life of each broker is registered, from the view of the cluster. Thread-safe.
public interface BrokerEpochs {
    /// The registered epoch, or -1 when the broker is not there.
    long of(int broker);
}
