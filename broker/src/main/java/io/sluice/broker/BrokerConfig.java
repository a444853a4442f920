package io.sluice.broker;

import io.sluice.controller.ControllerSettings;
import io.sluice.gateway.GatewayConfig;
import io.sluice.node.NodeSettings;
import io.sluice.settings.Settings;

/// What the broker itself can be told; the parts have records of their own. Immutable.
///
/// @param shards threads that own partitions and serve connections
/// @param rack where the broker is; empty when nobody said
public record BrokerConfig(
        int nodeId,
        Address kafkaListen,
        String kafkaAdvertise,
        Address adminListen,
        int shards,
        String rack,
        NodeSettings.Topics topics,
        NodeSettings.Storage storage,
        ControllerSettings controller,
        GatewayConfig gateway) {

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
                s.text(
                        "broker.rack",
                        "",
                        "Where this broker is: a rack, a room, an availability zone. Replicas are spread over racks, and consumers with the same client.rack read from here."),
                NodeSettings.Topics.from(s),
                NodeSettings.Storage.from(s),
                ControllerSettings.from(s),
                GatewayConfig.from(s));
    }
}
