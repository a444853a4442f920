package io.sluice.record;

/// The inside of a batch does not decode, though its checksum may hold: a broken or hostile producer.
public final class MalformedBatch extends RuntimeException {
    public MalformedBatch(String message) {
        super(message);
    }
}
