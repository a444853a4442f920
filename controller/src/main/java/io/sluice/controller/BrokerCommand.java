package io.sluice.controller;

/// What can be asked of the controller about a broker. Immutable.
public sealed interface BrokerCommand {
    int broker();

    /// All replicas move to other brokers; nothing new is placed there.
    record Drain(int broker) implements BrokerCommand {}

    /// A drained broker takes part again.
    record Resume(int broker) implements BrokerCommand {}

    /// Forgets a broker that is away and has no replicas.
    record Remove(int broker) implements BrokerCommand {}
}
