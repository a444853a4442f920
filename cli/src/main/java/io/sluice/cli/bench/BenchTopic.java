package io.sluice.cli.bench;

import io.sluice.cli.Cluster;
import io.sluice.cli.Session;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;
import picocli.CommandLine;

/// The topic that is measured; made if it is not there, and left for the next run.
///
/// Owned by the main thread.
final class BenchTopic {
    static final String DEFAULT_NAME = "sluice-bench";

    @CommandLine.Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC",
            description = "Made if it is not there. Default: " + DEFAULT_NAME + ".")
    String name = DEFAULT_NAME;

    @CommandLine.Option(
            names = "--partitions",
            paramLabel = "N",
            description = "How many, if it has to be made. Default: 4.")
    int partitions = 4;

    void ensure(Session session) {
        try {
            Cluster.await(
                    session.cluster()
                            .admin()
                            .createTopics(
                                    List.of(
                                            new NewTopic(
                                                    name,
                                                    Optional.of(partitions),
                                                    Optional.empty())))
                            .all());
            session.note(
                    "Made topic '%s'; it stays for the next run. 'sluice topic delete %s --yes' removes it."
                            .formatted(name, name));
        } catch (TopicExistsException e) {
            // as wanted
        }
    }
}
