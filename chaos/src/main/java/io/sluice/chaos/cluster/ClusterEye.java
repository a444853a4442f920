package io.sluice.chaos.cluster;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.jspecify.annotations.Nullable;

/// What the cluster says about itself through Kafka's Admin API: who leads, who is in sync, who is the controller.
///
/// Owned by the campaign's thread. An answer may come from a broker that is behind the times; what matters is asked again until it holds.
public final class ClusterEye implements AutoCloseable {
    private static final Duration ATTEMPT = Duration.ofSeconds(5);

    private final ClusterUnderTest cluster;
    private final Admin admin;

    public ClusterEye(ClusterUnderTest cluster) {
        this.cluster = cluster;
        this.admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                cluster.bootstrap(),
                                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                                1_500,
                                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                                (int) ATTEMPT.toMillis(),
                                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                                200L));
    }

    /// Waits until that many brokers are known to the cluster.
    public void awaitBrokers(int count, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        String last = "no answer";
        while (System.nanoTime() < deadline) {
            for (BrokerProcess broker : cluster.brokers()) {
                if (broker.hasDied()) {
                    throw new IllegalStateException(
                            "Broker "
                                    + broker.id()
                                    + " ended by itself:\n"
                                    + broker.lastOutput(30));
                }
            }
            try {
                int seen = admin.describeCluster().nodes().get(10, TimeUnit.SECONDS).size();
                if (seen >= count) {
                    return;
                }
                last = "only " + seen + " of them";
            } catch (ExecutionException | TimeoutException notYet) {
                last = String.valueOf(notYet.getMessage());
            } catch (InterruptedException interrupted) {
                throw stopped(interrupted);
            }
            pause();
        }
        throw new IllegalStateException(
                count + " brokers did not come together within " + limit + ": " + last);
    }

    /// Makes a topic with three replicas (or as many as there are brokers) of which two must have a message before it is acknowledged.
    public void createTopic(String name, int partitions) {
        int brokers = cluster.brokers().size();
        String minInSync = Integer.toString(ClusterUnderTest.minInSync(brokers));
        NewTopic topic =
                new NewTopic(name, partitions, (short) ClusterUnderTest.replicas(brokers))
                        .configs(Map.of("min.insync.replicas", minInSync));
        for (int attempt = 1; ; attempt++) {
            try {
                admin.createTopics(List.of(topic)).all().get(20, TimeUnit.SECONDS);
                return;
            } catch (ExecutionException | TimeoutException failure) {
                if (failure.getCause() instanceof TopicExistsException) {
                    return; // An attempt that seemed to fail has made it.
                }
                if (attempt == 10) {
                    throw new IllegalStateException("Cannot create " + topic, failure);
                }
                pause();
            } catch (InterruptedException interrupted) {
                throw stopped(interrupted);
            }
        }
    }

    /// The topic's partitions, or nothing when nobody answers right now.
    public @Nullable List<PartitionState> look(String topic) {
        try {
            TopicDescription description =
                    admin.describeTopics(List.of(topic))
                            .allTopicNames()
                            .get(10, TimeUnit.SECONDS)
                            .get(topic);
            if (description == null) {
                return null;
            }
            return description.partitions().stream()
                    .map(
                            info ->
                                    new PartitionState(
                                            info.partition(),
                                            info.leader() == null ? -1 : info.leader().id(),
                                            info.replicas().stream().map(Node::id).toList(),
                                            info.isr().stream().map(Node::id).toList()))
                    .sorted(Comparator.comparingInt(PartitionState::partition))
                    .toList();
        } catch (ExecutionException | TimeoutException unknown) {
            return null;
        } catch (InterruptedException interrupted) {
            throw stopped(interrupted);
        }
    }

    /// The topic's partitions; asks until somebody answers.
    public List<PartitionState> require(String topic) {
        for (int attempt = 0; attempt < 30; attempt++) {
            List<PartitionState> states = look(topic);
            if (states != null) {
                return states;
            }
            pause();
        }
        throw new IllegalStateException("No broker describes " + topic);
    }

    public OptionalInt controller() {
        for (int attempt = 0; attempt < 10; attempt++) {
            OptionalInt controller = cluster.controller(admin);
            if (controller.isPresent()) {
                return controller;
            }
            pause();
        }
        return OptionalInt.empty();
    }

    /// Asks the cluster to move everything away from a broker. Kafka's protocol has no word for it; Sluice takes it as a setting of all brokers.
    public void drain(int broker) {
        change("cluster.draining", Integer.toString(broker), AlterConfigOp.OpType.APPEND);
    }

    /// Whether the broker has no replica of the topic any more, now or within the limit.
    public boolean awaitEmpty(int broker, String topic, Duration limit) {
        return await(
                limit,
                () -> {
                    List<PartitionState> states = look(topic);
                    return states != null
                            && states.stream()
                                    .noneMatch(state -> state.replicas().contains(broker));
                });
    }

    /// The opposite of [#drain]: the broker takes part again, and gets its share.
    public void takeInAgain(int broker) {
        change("cluster.draining", Integer.toString(broker), AlterConfigOp.OpType.SUBTRACT);
        change("cluster.rebalance", "now", AlterConfigOp.OpType.SET);
    }

    /// Removes a broker that has stopped from the cluster. Why not, when that is refused until the limit; otherwise nothing.
    public Optional<Exception> remove(int broker, Duration limit) {
        AtomicReference<Exception> last = new AtomicReference<>();
        boolean removed =
                await(
                        limit,
                        () -> {
                            try {
                                admin.unregisterBroker(broker).all().get(10, TimeUnit.SECONDS);
                                return true;
                            } catch (ExecutionException | TimeoutException refused) {
                                last.set(refused);
                                return false;
                            } catch (InterruptedException interrupted) {
                                throw stopped(interrupted);
                            }
                        });
        return removed ? Optional.empty() : Optional.ofNullable(last.get());
    }

    /// Whether the cluster says whose disk is full; only Sluice does.
    public boolean knowsFullDisks() {
        return fullDisks() != null;
    }

    /// Whether the cluster knows, now or within the limit, that the broker's disk has refused a message.
    public boolean awaitFullDisk(int broker, Duration limit) {
        return await(
                limit,
                () -> {
                    String full = fullDisks();
                    return full != null
                            && List.of(full.split(",", -1)).contains(Integer.toString(broker));
                });
    }

    /// Whether the broker leads no partition of the topic, now or within the limit.
    public boolean awaitNoLeader(int broker, String topic, Duration limit) {
        return await(
                limit,
                () -> {
                    List<PartitionState> states = look(topic);
                    return states != null
                            && states.stream().noneMatch(state -> state.leader() == broker);
                });
    }

    private static boolean await(Duration limit, BooleanSupplier reached) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() >= deadline) {
                return false;
            }
            pause();
        }
        return true;
    }

    /// Ids in a list; null when nobody says.
    private @Nullable String fullDisks() {
        ConfigResource all = new ConfigResource(ConfigResource.Type.BROKER, "");
        try {
            Config config =
                    admin.describeConfigs(List.of(all)).all().get(10, TimeUnit.SECONDS).get(all);
            ConfigEntry entry = config == null ? null : config.get("cluster.full-disks");
            return entry == null ? null : entry.value();
        } catch (ExecutionException | TimeoutException unknown) {
            return null;
        } catch (InterruptedException interrupted) {
            throw stopped(interrupted);
        }
    }

    private void change(String setting, String value, AlterConfigOp.OpType how) {
        ConfigResource allBrokers = new ConfigResource(ConfigResource.Type.BROKER, "");
        AlterConfigOp operation = new AlterConfigOp(new ConfigEntry(setting, value), how);
        for (int attempt = 1; ; attempt++) {
            try {
                admin.incrementalAlterConfigs(Map.of(allBrokers, List.of(operation)))
                        .all()
                        .get(20, TimeUnit.SECONDS);
                return;
            } catch (ExecutionException | TimeoutException failure) {
                if (attempt == 10) {
                    throw new IllegalStateException(
                            "The cluster refuses " + setting + "=" + value, failure);
                }
                pause();
            } catch (InterruptedException interrupted) {
                throw stopped(interrupted);
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException interrupted) {
            throw stopped(interrupted);
        }
    }

    private static IllegalStateException stopped(InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("Interrupted", interrupted);
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(5));
    }
}
