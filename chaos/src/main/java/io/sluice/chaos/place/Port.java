package io.sluice.chaos.place;

/// What a broker needs a port for.
public enum Port {
    CLIENTS,
    ADMIN,
    /// Between the controllers of Apache Kafka.
    CONTROLLERS,
    ENSEMBLE_CLIENTS,
    ENSEMBLE_PEERS,
    ENSEMBLE_ELECTION;

    /// Whether it belongs to the metadata store, so that a broker can be cut off from that alone.
    public boolean isOfTheStore() {
        return switch (this) {
            case CLIENTS, ADMIN -> false;
            case CONTROLLERS, ENSEMBLE_CLIENTS, ENSEMBLE_PEERS, ENSEMBLE_ELECTION -> true;
        };
    }
}
