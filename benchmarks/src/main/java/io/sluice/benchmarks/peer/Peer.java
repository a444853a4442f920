package io.sluice.benchmarks.peer;

import java.util.List;

/// A kind of broker that can take part: how it is installed, prepared and started.
///
/// Immutable.
public sealed interface Peer permits KafkaPeer, SluicePeer {

    /// The name in readings and on the command line.
    String name();

    /// Name and version for the heading of a report.
    String description();

    /// Fetches what is needed to start it; done once, before any clock runs.
    void install();

    /// What an operator does once before the first start on an empty folder; not part of any measured time.
    void prepare(Place place);

    /// The command that starts it on a prepared place, and stays in the foreground.
    List<String> startCommand(Place place);
}
