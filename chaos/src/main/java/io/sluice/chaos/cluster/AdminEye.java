package io.sluice.chaos.cluster;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
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

/// Looks and asks through Kafka's Admin API.
///
/// Owned by the campaign's thread. An answer may come from a broker that is behind the times; what matters is asked again until it holds.
public final class AdminEye implements ClusterEye {
    private static final Duration ATTEMPT = Duration.ofSeconds(5);

    private final ClusterUnderTest cluster;
    private final Admin admin;

    public AdminEye(ClusterUnderTest cluster) {
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

    @Override
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

    @Override
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

    @Override
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

    @Override
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

    @Override
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

    @Override
    public void drain(int broker) {
        change("cluster.draining", Integer.toString(broker), AlterConfigOp.OpType.APPEND);
    }

    @Override
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

    @Override
    public void takeInAgain(int broker) {
        change("cluster.draining", Integer.toString(broker), AlterConfigOp.OpType.SUBTRACT);
        change("cluster.rebalance", "now", AlterConfigOp.OpType.SET);
    }

    @Override
    public boolean awaitShare(int broker, Duration limit) {
        return await(limit, () -> isInSyncSomewhere(broker));
    }

    private boolean isInSyncSomewhere(int broker) {
        try {
            Set<String> topics = admin.listTopics().names().get(10, TimeUnit.SECONDS);
            return admin
                    .describeTopics(topics)
                    .allTopicNames()
                    .get(10, TimeUnit.SECONDS)
                    .values()
                    .stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .anyMatch(info -> info.isr().stream().anyMatch(node -> node.id() == broker));
        } catch (ExecutionException | TimeoutException unknown) {
            return false;
        } catch (InterruptedException interrupted) {
            throw stopped(interrupted);
        }
    }

    @Override
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

    @Override
    public boolean knowsFullDisks() {
        return fullDisks() != null;
    }

    @Override
    public boolean awaitFullDisk(int broker, Duration limit) {
        return await(
                limit,
                () -> {
                    String full = fullDisks();
                    return full != null
                            && List.of(full.split(",", -1)).contains(Integer.toString(broker));
                });
    }

    @Override
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
