package io.sluice.coordinator;

/// Stands for a caller who waits. A machine may answer it at once, or keep it and answer with a later decision. Immutable.
public record Ticket(long number) {
    @Override
    public String toString() {
        return "#" + number;
    }
}
