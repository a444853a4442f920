package io.sluice.controller;

import java.util.List;

/// Moves of replicas between brokers. Pure.
final class Moves {
    private Moves() {}

    static List<Move> of(ClusterView view) {
        return List.of();
    }
}
