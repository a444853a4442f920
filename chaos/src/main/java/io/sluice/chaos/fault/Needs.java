package io.sluice.chaos.fault;

/// What a fault takes beyond processes and signals.
public enum Needs {
    NOTHING("nothing more"),
    CUTS("network namespaces"),
    DISKS("a disk of its own for each broker"),
    SPARE_BROKER("a cluster of Sluice with more brokers than replicas (--brokers 4)");

    private final String words;

    Needs(String words) {
        this.words = words;
    }

    public String words() {
        return words;
    }
}
