package io.sluice.benchmarks.load;

/// When a broker answers a produce request.
public enum Acks {
    ONE(1, "1"),
    ALL(-1, "all");

    private final int code;
    private final String setting;

    Acks(int code, String setting) {
        this.code = code;
        this.setting = setting;
    }

    int code() {
        return code;
    }

    /// As the Java client's `acks` setting spells it.
    public String setting() {
        return setting;
    }
}
