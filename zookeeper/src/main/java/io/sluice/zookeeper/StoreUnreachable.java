package io.sluice.zookeeper;

/// The ensemble cannot be reached, or does not let us in; the message says which, and what to do.
public final class StoreUnreachable extends RuntimeException {
    public StoreUnreachable(String sentence) {
        super(sentence);
    }

    public StoreUnreachable(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
