package io.sluice.examples.labelling.queue;

/// Where messages about documents go.
///
/// Thread-safe.
public interface DocumentQueue {
    /// Returns when the message is safe.
    void send(DocumentMessage message) throws Exception;

    /// How many messages wait, about.
    long waiting() throws Exception;

    /// For people.
    String describe();
}
