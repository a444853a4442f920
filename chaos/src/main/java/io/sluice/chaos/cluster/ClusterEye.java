package io.sluice.chaos.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// What a campaign sees of a cluster, and asks of it: who leads, who is in sync, who is the controller; who is to be emptied, or to go.
///
/// Owned by the campaign's thread.
public interface ClusterEye extends AutoCloseable {

    /// Waits until that many brokers are known to the cluster.
    void awaitBrokers(int count, Duration limit);

    /// Makes a topic with three replicas (or as many as there are brokers) of which two must have a message before it is acknowledged.
    void createTopic(String name, int partitions);

    /// The topic's partitions, or nothing when nobody answers right now.
    @Nullable List<PartitionState> look(String topic);

    /// The topic's partitions; asks until somebody answers.
    List<PartitionState> require(String topic);

    OptionalInt controller();

    /// Asks the cluster to move everything away from a broker. Kafka's protocol has no word for it; Sluice takes it as a setting of all brokers.
    void drain(int broker);

    /// Whether the broker has no replica of the topic any more, now or within the limit.
    boolean awaitEmpty(int broker, String topic, Duration limit);

    /// The opposite of [#drain]: the broker takes part again, and gets its share.
    void takeInAgain(int broker);

    /// Whether the broker is in sync for some partition of whatever topic, now or within the limit.
    boolean awaitShare(int broker, Duration limit);

    /// Removes a broker that has stopped from the cluster. Why not, when that is refused until the limit; otherwise nothing.
    Optional<Exception> remove(int broker, Duration limit);

    /// Whether the cluster says whose disk is full; only Sluice does.
    boolean knowsFullDisks();

    /// Whether the cluster knows, now or within the limit, that the broker's disk has refused a message.
    boolean awaitFullDisk(int broker, Duration limit);

    /// Whether the broker leads no partition of the topic, now or within the limit.
    boolean awaitNoLeader(int broker, String topic, Duration limit);

    @Override
    void close();
}
