package io.sluice.chaos.history;

/// The content of one message, which no other message ever has: who sent it, to which partition, and as which one of his there.
///
/// Immutable.
public record Value(int producer, int partition, int sequence) {

    @Override
    public String toString() {
        return producer + ":" + partition + ":" + sequence;
    }

    /// The value of a message's text; anything else than what [#toString] makes is no message of ours.
    public static Value parse(String text) {
        String[] parts = text.split(":");
        if (parts.length != 3) {
            throw new IllegalArgumentException("Not one of the harness's messages: " + text);
        }
        return new Value(
                Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
    }
}
