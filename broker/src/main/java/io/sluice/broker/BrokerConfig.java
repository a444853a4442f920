package io.sluice.broker;

import io.sluice.gateway.GatewayConfig;
import io.sluice.settings.Settings;
import java.time.Duration;

/// What the broker itself can be told; the parts have records of their own. Immutable.
///
/// @param shards threads that own partitions and serve connections
public record BrokerConfig(
        int nodeId,
        Address kafkaListen,
        String kafkaAdvertise,
        Address adminListen,
        int shards,
        Topics topics,
        Storage storage,
        GatewayConfig gateway) {

    public record Topics(boolean autoCreate, int defaultPartitions, int offsetsPartitions) {
        static Topics from(Settings s) {
            return new Topics(
                    s.flag(
                            "topics.auto-create",
                            true,
                            "Creates a topic when a client first uses it."),
                    s.integer(
                            "topics.default-partitions",
                            1,
                            1,
                            100_000,
                            "Partitions of a topic for which none are asked."),
                    s.integer(
                            "topics.offsets-partitions",
                            16,
                            1,
                            10_000,
                            "Partitions of the topic that remembers consumer groups; counts when it is made."));
        }
    }

    public record Storage(
            int flushThreads,
            Duration flushInterval,
            Duration checkpointInterval,
            Duration housekeepingInterval) {
        static Storage from(Settings s) {
            return new Storage(
                    s.integer("log.flush-threads", 8, 1, 256, "fsyncs under way at the same time."),
                    s.duration(
                            "log.flush-interval",
                            "1s",
                            Duration.ofMillis(1),
                            "What nobody waits for (acks=1, acks=0, flush=page-cache) is flushed to disk after this time."),
                    s.duration(
                            "log.checkpoint-interval",
                            "5s",
                            Duration.ofMillis(10),
                            "How often it is noted how far partitions are durable; recovery reads what came after."),
                    s.duration(
                            "log.housekeeping-interval",
                            "30s",
                            Duration.ofMillis(10),
                            "How often retention, compaction and idle files are looked at."));
        }
    }

    public static BrokerConfig from(Settings s) {
        int halfOfTheCores = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        return new BrokerConfig(
                s.integer(
                        "node.id",
                        1,
                        0,
                        Integer.MAX_VALUE,
                        "The number of this broker; belongs to its data directory for ever."),
                Address.parse(
                        "kafka.listen",
                        s.text(
                                "kafka.listen",
                                "localhost:9092",
                                "Address and port for Kafka clients; port 0 takes a free one. Use 0.0.0.0:9092 to serve other machines; clients are then told this machine's host name, or what kafka.advertise says.")),
                s.text(
                        "kafka.advertise",
                        "",
                        "host:port that clients are told to connect to; empty for the address listened on, or for this machine's host name (its first address if it has no name) when that is every address."),
                Address.parse(
                        "admin.listen",
                        s.text(
                                "admin.listen",
                                "localhost:8080",
                                "Address and port for health and metrics over HTTP; port 0 takes a free one.")),
                s.integer(
                        "broker.shards",
                        halfOfTheCores,
                        1,
                        1024,
                        "Threads that own partitions and serve connections; by default half of the cores, which leaves room for fsync and others."),
                Topics.from(s),
                Storage.from(s),
                GatewayConfig.from(s));
    }
}
