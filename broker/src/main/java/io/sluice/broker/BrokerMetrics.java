package io.sluice.broker;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import io.sluice.controller.Controller;
import io.sluice.controller.ControllerCounters;
import io.sluice.env.Durations;
import io.sluice.env.os.OsDisk;
import io.sluice.gateway.GatewayCounters;
import io.sluice.kafka.api.RequestTimes;
import io.sluice.node.Node;
import io.sluice.partition.ShardCounters;
import io.sluice.replication.ReplicationCounters;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleSupplier;

/// The metrics page. Counting happens where things happen, with adders; this only reads them when asked. Thread-safe.
final class BrokerMetrics {
    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.builder().build();

    BrokerMetrics(GatewayCounters gateway, RequestTimes requests, Node node, OsDisk disk) {
        Controller controller = node.controller();
        ShardCounters shards = node.shardCounters();
        gauge("sluice_connections_open", "Open client connections.", gateway.connectionsOpen::sum);
        counter(
                "sluice_connections_refused_total",
                "Connections refused at a limit.",
                gateway.connectionsRefused::sum);
        counter(
                "sluice_connections_idle_closed_total",
                "Connections closed because nothing was asked.",
                gateway.connectionsIdleClosed::sum);
        counter("sluice_requests_total", "Requests received.", gateway.requests::sum);
        counter(
                "sluice_requests_malformed_total",
                "Requests that could not be understood.",
                gateway.requestsMalformed::sum);
        counter("sluice_received_bytes_total", "Bytes of requests.", gateway.bytesIn::sum);
        counter("sluice_sent_bytes_total", "Bytes of answers.", gateway.bytesOut::sum);
        counter(
                "sluice_reads_paused_total",
                "How often a connection was left unread at a limit.",
                gateway.readsPaused::sum);
        registry.register(
                new DurationsCollector(
                        "sluice_request_seconds",
                        "Time from a request's arrival until its answer was ready, by API; a fetch counts with its waiting.",
                        () -> labelled(requests)));
        gauge("sluice_topics", "Topics in the plan.", () -> controller.view().topics().size());
        gauge(
                "sluice_partitions",
                "Partitions in the plan.",
                () -> controller.view().partitionCount());
        gauge(
                "sluice_partitions_open",
                "Partitions whose log is open.",
                shards.partitionsOpen::sum);
        gauge(
                "sluice_partitions_offline",
                "Partitions that a disk failure has put out of service.",
                shards.partitionsOffline::sum);
        counter(
                "sluice_log_recovered_bytes_total",
                "Bytes read because nothing said that they were durable.",
                shards.recoveredBytesScanned::sum);
        counter(
                "sluice_log_damages_total",
                "Damaged places found on disk; from then on they are not served.",
                shards.damages::sum);
        scrubMetrics(shards);
        registry.register(
                new DurationsCollector(
                        "sluice_flush_seconds",
                        "Time of each group commit: one fsync for everything that waited.",
                        () -> Map.of(Labels.EMPTY, shards.flushes)));
        clusterMetrics(node);
        gauge("sluice_files_open", "Open segment files.", disk::openFiles);
        gauge("sluice_disk_usable_bytes", "Bytes that can still be written.", disk::usableBytes);
    }

    private void scrubMetrics(ShardCounters shards) {
        gauge(
                "sluice_log_damages_present",
                "Damaged places that are known and not mended: alarm when it stays above 0.",
                shards.damagesPresent::sum);
        counter(
                "sluice_log_aging_held_back_total",
                "Rounds of housekeeping in which nothing was deleted by age, since the machine's date has leapt.",
                shards.agingHeldBack::sum);
        counter(
                "sluice_log_damages_repaired_total",
                "Damaged places that were mended from another replica.",
                shards.damagesRepaired::sum);
        counter(
                "sluice_log_repairs_failed_total",
                "Tries to mend damage that no replica could help with.",
                shards.repairsFailed::sum);
        counter(
                "sluice_log_scrubbed_bytes_total",
                "Bytes of closed segments that were checked against their checksums.",
                shards.scrubbedBytes::sum);
        counter(
                "sluice_log_scrub_rounds_total",
                "How often all closed segments have been checked.",
                shards.scrubRounds::sum);
    }

    private void inSyncMetrics(ShardCounters shards) {
        counter(
                "sluice_insync_shrinks_total",
                "How often a leader here took a replica out of its in-sync set.",
                shards.inSyncShrinks::sum);
        counter(
                "sluice_insync_expansions_total",
                "How often a leader here took a replica into its in-sync set.",
                shards.inSyncExpansions::sum);
        counter(
                "sluice_replica_committed_records_cut_total",
                "Committed records that a leader lacked, where the topic's owner has agreed to that.",
                shards.committedRecordsCut::sum);
    }

    private void controllerMetrics(ControllerCounters controller) {
        counter(
                "sluice_controller_offices_taken_total",
                "How often this broker has become the controller.",
                controller.officesTaken::sum);
        counter(
                "sluice_controller_offices_lost_total",
                "How often this broker has ceased to be the controller.",
                controller.officesLost::sum);
        counter(
                "sluice_controller_elections_total",
                "Leaders' terms that this broker has begun or ended as the controller.",
                controller.elections::sum);
        counter(
                "sluice_controller_unclean_elections_total",
                "Elections of a leader that may lack committed records.",
                controller.uncleanElections::sum);
        counter(
                "sluice_controller_partitions_lost_total",
                "Partitions whose last in-sync replica came back without its data.",
                controller.partitionsLost::sum);
        counter(
                "sluice_controller_topics_set_aside_total",
                "How often a topic's plan was left for a minute since the metadata store did not take it.",
                controller.topicsSetAside::sum);
        counter(
                "sluice_controller_commits_total",
                "Changes of the plan that this broker has written as the controller.",
                controller.commits::sum);
    }

    private void clusterMetrics(Node node) {
        ReplicationCounters replication = node.replicationCounters();
        inSyncMetrics(node.shardCounters());
        controllerMetrics(node.controller().counters());
        gauge(
                "sluice_cluster_brokers",
                "Brokers that are there.",
                () -> node.controller().view().brokers().size());
        gauge(
                "sluice_controller_active",
                "1 on the broker that is the controller.",
                () -> node.controller().isActive() ? 1 : 0);
        gauge(
                "sluice_partitions_led",
                "Partitions that this broker leads.",
                () -> node.health().ledHere());
        gauge(
                "sluice_partitions_without_leader",
                "Partitions of the cluster that nobody leads.",
                () -> node.health().offline());
        gauge(
                "sluice_partitions_under_replicated",
                "Partitions of the cluster with a replica that is not in sync.",
                () -> node.health().underReplicated());
        gauge(
                "sluice_partitions_under_min_insync",
                "Partitions of the cluster with too few in-sync replicas for acks=all.",
                () -> node.health().underMinInSync());
        gauge(
                "sluice_partitions_moving",
                "Partitions of the cluster whose replicas are on the move.",
                () -> node.health().moving());
        replicationMetrics(replication);
    }

    private void replicationMetrics(ReplicationCounters replication) {
        counter(
                "sluice_replica_fetched_bytes_total",
                "Bytes copied from leaders.",
                replication.bytesFetched::sum);
        counter(
                "sluice_replica_moved_bytes_total",
                "Bytes copied for replicas that move here.",
                replication.bytesMoved::sum);
        counter(
                "sluice_replica_moves_held_back_total",
                "How often a replica that moves here had to wait for its turn: the limit is reached.",
                replication.movesHeldBack::sum);
        gauge(
                "sluice_replicas_lagging",
                "Replicas here that lack messages that are committed.",
                replication::lagging);
        gauge(
                "sluice_replica_lag_max",
                "Committed messages that the furthest behind of the copies here lacks.",
                replication::lagMax);
        counter(
                "sluice_replica_fetches_failed_total",
                "Fetches from leaders without an answer.",
                replication.fetchesFailed::sum);
        counter(
                "sluice_replica_logs_cut_total",
                "How often a copy was cut back to its leader's log.",
                replication.logsCut::sum);
        counter(
                "sluice_heartbeats_failed_total",
                "Signs of life that got no answer in time, or found no controller.",
                replication.heartbeatsFailed::sum);
    }

    private static Map<Labels, Durations> labelled(RequestTimes requests) {
        Map<Labels, Durations> labelled = new HashMap<>();
        requests.forEach(
                (api, durations) ->
                        labelled.put(
                                Labels.of("api", api.name().toLowerCase(Locale.ROOT)), durations));
        return labelled;
    }

    void write(OutputStream out) throws IOException {
        writer.write(out, registry.scrape());
    }

    private void gauge(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    private void counter(String name, String help, DoubleSupplier value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }
}
