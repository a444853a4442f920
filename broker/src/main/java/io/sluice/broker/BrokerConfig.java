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
        int flushThreads,
        boolean autoCreateTopics,
        int defaultPartitions,
        Duration flushInterval,
        Duration checkpointInterval,
        Duration housekeepingInterval,
        GatewayConfig gateway) {

    public static BrokerConfig from(Settings settings) {
        int cores = Runtime.getRuntime().availableProcessors();
        return new BrokerConfig(
                settings.integer(
                        "node.id",
                        1,
                        0,
                        Integer.MAX_VALUE,
                        "The number of this broker; belongs to its data directory for ever."),
                Address.parse(
                        "kafka.listen",
                        settings.text(
                                "kafka.listen",
                                "localhost:9092",
                                "Address and port for Kafka clients; port 0 takes a free one. Use 0.0.0.0:9092 to serve other machines.")),
                settings.text(
                        "kafka.advertise",
                        "",
                        "host:port that clients are told to connect to; empty for the address listened on."),
                Address.parse(
                        "admin.listen",
                        settings.text(
                                "admin.listen",
                                "localhost:8080",
                                "Address and port for health, metrics and status over HTTP; port 0 takes a free one.")),
                settings.integer(
                        "broker.shards",
                        Math.max(1, cores / 2),
                        1,
                        1024,
                        "Threads that own partitions and serve connections; half of the cores leaves room for clients and fsync."),
                settings.integer(
                        "broker.flush-threads", 8, 1, 256, "fsyncs under way at the same time."),
                settings.flag(
                        "topics.auto-create", true, "Creates a topic when a client first uses it."),
                settings.integer(
                        "topics.default-partitions",
                        1,
                        1,
                        100_000,
                        "Partitions of a topic for which none are asked."),
                settings.duration(
                        "log.flush-interval",
                        "1s",
                        Duration.ofMillis(1),
                        "What nobody waits for (acks=1, acks=0, flush=page-cache) is flushed to disk after this time."),
                settings.duration(
                        "log.checkpoint-interval",
                        "5s",
                        Duration.ofMillis(10),
                        "How often it is noted how far partitions are durable; recovery reads what came after."),
                settings.duration(
                        "log.housekeeping-interval",
                        "30s",
                        Duration.ofMillis(10),
                        "How often retention, compaction and idle files are looked at."),
                GatewayConfig.from(settings));
    }
}
