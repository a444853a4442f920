package io.sluice.cli.broker;

import io.sluice.cli.Cluster;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;

/// What brokers hold, and which of them are to be emptied. Owned by the main thread.
public final class BrokerStates {
    private static final ConfigResource ALL_BROKERS =
            new ConfigResource(ConfigResource.Type.BROKER, "");
    private static final String DRAINING = "cluster.draining";
    private static final String FULL_DISKS = "cluster.full-disks";
    private static final String REBALANCE = "cluster.rebalance";
    private static final String MOVE_LIMIT = "cluster.move-bytes-per-second";

    private final Admin admin;

    public BrokerStates(Cluster cluster) {
        this.admin = cluster.admin();
    }

    /// What one broker holds.
    record Load(int leaders, int replicas) {
        Load plus(Load more) {
            return new Load(leaders + more.leaders, replicas + more.replicas);
        }
    }

    /// By id; also those that are registered and do not take part.
    Map<Integer, Node> nodes() {
        Map<Integer, Node> nodes = new TreeMap<>();
        Cluster.await(
                        admin.describeCluster(
                                        new DescribeClusterOptions().includeFencedBrokers(true))
                                .nodes())
                .forEach(node -> nodes.put(node.id(), node));
        return nodes;
    }

    /// By id; also of brokers that are not there.
    Map<Integer, Load> loads() {
        Map<Integer, Load> loads = new TreeMap<>();
        for (TopicDescription topic : topics()) {
            for (TopicPartitionInfo partition : topic.partitions()) {
                Node leader = partition.leader();
                for (Node replica : partition.replicas()) {
                    boolean leads = leader != null && leader.id() == replica.id();
                    loads.merge(replica.id(), new Load(leads ? 1 : 0, 1), Load::plus);
                }
            }
        }
        return loads;
    }

    /// All of them, also those of the brokers' own.
    Collection<TopicDescription> topics() {
        Collection<String> names =
                Cluster.await(admin.listTopics(new ListTopicsOptions().listInternal(true)).names());
        return Cluster.await(admin.describeTopics(names).allTopicNames()).values();
    }

    /// What a command has made of a broker.
    static Listing changed(int broker, String status) {
        return changed(Fields.of("broker", Value.count(broker)).with("status", Value.text(status)));
    }

    static Listing changed(Fields broker) {
        return Listing.of(
                List.of(Column.of("broker", "BROKER"), Column.of("status", "STATUS")),
                List.of(broker));
    }

    public SortedSet<Integer> draining() {
        return ids(DRAINING);
    }

    /// Whose disk is full.
    public SortedSet<Integer> fullDisks() {
        return ids(FULL_DISKS);
    }

    private SortedSet<Integer> ids(String name) {
        TreeSet<Integer> ids = new TreeSet<>();
        for (String id : ordered(name).split(",", -1)) {
            if (!id.isBlank()) {
                ids.add(Integer.valueOf(id.trim()));
            }
        }
        return ids;
    }

    /// What is ordered for all brokers together; empty for nothing.
    private String ordered(String name) {
        Config config =
                Cluster.await(admin.describeConfigs(List.of(ALL_BROKERS)).all()).get(ALL_BROKERS);
        ConfigEntry entry = config == null ? null : config.get(name);
        return entry == null || entry.value() == null ? "" : entry.value();
    }

    /// Bytes per second that each broker may copy for moves; empty when each goes by its own settings.
    OptionalLong moveLimit() {
        String value = ordered(MOVE_LIMIT);
        return value.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
    }

    void limitMoves(int bytesPerSecond) {
        alter(MOVE_LIMIT, String.valueOf(bytesPerSecond), AlterConfigOp.OpType.SET);
    }

    void drain(int broker) {
        alter(DRAINING, String.valueOf(broker), AlterConfigOp.OpType.APPEND);
    }

    void resume(int broker) {
        alter(DRAINING, String.valueOf(broker), AlterConfigOp.OpType.SUBTRACT);
    }

    void rebalance() {
        alter(REBALANCE, "now", AlterConfigOp.OpType.SET);
    }

    private void alter(String name, String value, AlterConfigOp.OpType how) {
        Cluster.await(
                admin.incrementalAlterConfigs(
                                Map.of(
                                        ALL_BROKERS,
                                        List.of(
                                                new AlterConfigOp(
                                                        new ConfigEntry(name, value), how))))
                        .all());
    }

    void remove(int broker) {
        Cluster.await(admin.unregisterBroker(broker).all());
    }
}
