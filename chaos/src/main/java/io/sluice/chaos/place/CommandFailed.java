package io.sluice.chaos.place;

/// A command of the operating system said no; the message has its words.
public final class CommandFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    CommandFailed(String message) {
        super(message);
    }
}
