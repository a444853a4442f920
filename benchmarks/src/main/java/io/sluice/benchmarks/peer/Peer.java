package io.sluice.benchmarks.peer;

import java.util.List;
import java.util.OptionalInt;
import org.apache.kafka.clients.admin.Admin;

/// A kind of broker that can take part: how it is installed, prepared and started, alone or as a cluster.
///
/// Immutable.
public sealed interface Peer permits KafkaPeer, SluicePeer {

    /// The name in readings and on the command line.
    String name();

    /// Name and version for the heading of a report.
    String description();

    /// Fetches what is needed to start it; done once, before any clock runs.
    void install();

    /// What an operator does once before the first start on empty folders; not part of any measured time.
    void prepare(Site site);

    /// The command that starts the broker of one of the site's places, and stays in the foreground.
    List<String> startCommand(Site site, Place place);

    /// The broker that is the active controller, as the cluster itself says; absent when nobody knows right now.
    OptionalInt controller(Admin admin);
}
