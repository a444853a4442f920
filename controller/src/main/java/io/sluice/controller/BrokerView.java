package io.sluice.controller;

import org.jspecify.annotations.Nullable;

/// A broker that has registered: where it is reached, and by which number its registration is told from earlier ones. Immutable.
///
/// @param epoch grows with every registration in the cluster (KIP-380): what an earlier process with this id still says is recognised as old
public record BrokerView(int id, String host, int port, @Nullable String rack, long epoch) {}
