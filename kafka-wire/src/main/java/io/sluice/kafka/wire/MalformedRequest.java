package io.sluice.kafka.wire;

/// Bytes from the wire that cannot be a message: says which field, what was read, and at which byte.
///
/// Carries no stack trace: it describes the peer's input and not a place in our code, and a peer that sends
/// nothing but garbage must not make us walk the stack for each frame.
public final class MalformedRequest extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedRequest(String message) {
        super(message, null, false, false);
    }
}
