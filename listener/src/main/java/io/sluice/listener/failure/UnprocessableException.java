package io.sluice.listener.failure;

/// Says that a message will never be processed, however often it is tried: it goes to the dead letters at once.
public class UnprocessableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnprocessableException(String message) {
        super(message);
    }

    public UnprocessableException(String message, Throwable cause) {
        super(message, cause);
    }
}
