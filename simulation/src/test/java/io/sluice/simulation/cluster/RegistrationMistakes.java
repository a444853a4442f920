package io.sluice.simulation.cluster;

import io.sluice.controller.Registration;
import java.util.UUID;

/// Mistakes of history in what brokers say of themselves when they come back. The ids are those of the catalogue of such bugs.
final class RegistrationMistakes {
    private RegistrationMistakes() {}

    /// R5, KIP-903, KAFKA-14139: a broker with an empty disk passes for the one that it was.
    static Registration concealsAnEmptyDisk(Registration own) {
        return new Registration(
                own.id(),
                own.host(),
                own.port(),
                own.rack(),
                own.incarnation(),
                new UUID(0, own.id()),
                own.clusterId(),
                own.cleanEpoch(),
                own.boot(),
                own.former());
    }

    /// R6, KIP-966: a broker that came back from a power loss passes for one that was stopped in order.
    static Registration concealsACrash(Registration own, long lastEpoch) {
        return new Registration(
                own.id(),
                own.host(),
                own.port(),
                own.rack(),
                own.incarnation(),
                own.directory(),
                own.clusterId(),
                lastEpoch,
                own.boot(),
                own.former());
    }

    /// R6 in another way: a machine that was without power passes for one that has run on.
    static Registration concealsAPowerLoss(Registration own) {
        return new Registration(
                own.id(),
                own.host(),
                own.port(),
                own.rack(),
                own.incarnation(),
                own.directory(),
                own.clusterId(),
                own.cleanEpoch(),
                new UUID(0, own.id()),
                own.former());
    }
}
