package io.sluice.outbox.bench.stage;

/// Who is measured.
public enum Contender {
    DOCUMENT("document", "document, no partitions", 0),
    DOCUMENT_MOD("document-mod", "document, MOD", 0),
    COMPAT("compat", "ours, compat", 0),
    LOG("log", "ours, log", 0),
    /// With the document's batches: the number of statements depends on them.
    LOG_1000("log-1000", "ours, log, pages of 1,000", 0),
    WAL("wal", "ours, wal", 0),
    DEBEZIUM_500("debezium", "Debezium, poll 500 ms", 500),
    DEBEZIUM_1("debezium", "Debezium, poll 1 ms", 1);

    private final String design;
    private final String label;
    private final int pollMillis;

    Contender(String design, String label, int pollMillis) {
        this.design = design;
        this.label = label;
        this.pollMillis = pollMillis;
    }

    String design() {
        return design;
    }

    int pollMillis() {
        return pollMillis;
    }

    public String label() {
        return label;
    }

    public boolean isDebezium() {
        return pollMillis > 0;
    }

    /// Loops over the table as the document's text says.
    public boolean isDocument() {
        return this == DOCUMENT || this == DOCUMENT_MOD;
    }

    /// Differs from another one only where events are drained.
    public boolean isVariant() {
        return this == LOG_1000;
    }

    boolean hasLanes() {
        return this == LOG || this == LOG_1000 || this == WAL;
    }
}
