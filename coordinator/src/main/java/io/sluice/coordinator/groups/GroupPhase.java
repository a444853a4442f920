package io.sluice.coordinator.groups;

/// Where a group stands. The labels are Kafka's, since clients and tools show and compare them.
public enum GroupPhase {
    EMPTY("Empty"),
    PREPARING_REBALANCE("PreparingRebalance"),
    COMPLETING_REBALANCE("CompletingRebalance"),
    STABLE("Stable");

    /// What is said of a group that does not exist.
    public static final String DEAD = "Dead";

    private final String label;

    GroupPhase(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
