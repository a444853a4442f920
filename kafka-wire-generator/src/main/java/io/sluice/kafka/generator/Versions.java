package io.sluice.kafka.generator;

/// A range of versions of a message, both ends included: `3`, `0-4`, `2+` or `none` in the schemas. Immutable.
record Versions(int lowest, int highest) {
    static final Versions NONE = new Versions(0, -1);

    static Versions parse(String text) {
        String trimmed = text.strip();
        if (trimmed.equals("none")) {
            return NONE;
        }
        if (trimmed.endsWith("+")) {
            return new Versions(
                    Integer.parseInt(trimmed.substring(0, trimmed.length() - 1)), Short.MAX_VALUE);
        }
        int dash = trimmed.indexOf('-');
        if (dash < 0) {
            int only = Integer.parseInt(trimmed);
            return new Versions(only, only);
        }
        return new Versions(
                Integer.parseInt(trimmed.substring(0, dash)),
                Integer.parseInt(trimmed.substring(dash + 1)));
    }

    boolean isEmpty() {
        return lowest > highest;
    }

    boolean contains(int version) {
        return lowest <= version && version <= highest;
    }

    boolean covers(Versions other) {
        return other.isEmpty() || (lowest <= other.lowest && other.highest <= highest);
    }

    Versions and(Versions other) {
        Versions both =
                new Versions(Math.max(lowest, other.lowest), Math.min(highest, other.highest));
        return both.isEmpty() ? NONE : both;
    }

    /// The smallest range that has both in it.
    Versions hull(Versions other) {
        if (isEmpty()) {
            return other;
        }
        if (other.isEmpty()) {
            return this;
        }
        return new Versions(Math.min(lowest, other.lowest), Math.max(highest, other.highest));
    }

    /// What is left without another range that takes off one end, or all, or nothing.
    Versions without(Versions other) {
        Versions both = and(other);
        if (both.isEmpty()) {
            return this;
        }
        if (both.equals(this)) {
            return NONE;
        }
        if (both.highest == highest) {
            return new Versions(lowest, both.lowest - 1);
        }
        if (both.lowest == lowest) {
            return new Versions(both.highest + 1, highest);
        }
        throw new IllegalArgumentException(this + " without " + other + " is not one range");
    }

    /// A Java condition that holds for these versions among the possible ones: `true` and `false` where it is settled.
    String conditionAmong(Versions possible) {
        Versions both = and(possible);
        if (both.isEmpty()) {
            return "false";
        }
        boolean fromStart = both.lowest == possible.lowest;
        boolean toEnd = both.highest == possible.highest;
        if (fromStart && toEnd) {
            return "true";
        }
        if (both.lowest == both.highest) {
            return "version == " + both.lowest;
        }
        if (fromStart) {
            return "version <= " + both.highest;
        }
        if (toEnd) {
            return "version >= " + both.lowest;
        }
        return "version >= " + both.lowest + " && version <= " + both.highest;
    }
}
