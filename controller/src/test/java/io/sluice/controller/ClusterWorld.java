package io.sluice.controller;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Brokers' controllers over one store, sending each other signs of life, in time that the test lets pass. Owned by its test.
final class ClusterWorld {
    static final Duration HEARTBEAT = Duration.ofMillis(500);

    final SteppedTime time = new SteppedTime();
    final SharedStore store = new SharedStore();
    final TreeMap<Integer, Running> processes = new TreeMap<>();
    final Mailbox client = time.box();
    TopicRules rules = new TopicRules(1, false, false);

    /// Of brokers whose configuration has other defaults than that of most.
    final TreeMap<Integer, TopicRules> otherRules = new TreeMap<>();

    ControllerSettings settings = ControllerSettings.defaults();
    final TreeMap<Integer, Reply<Integer>> retirements = new TreeMap<>();
    private final TreeMap<Integer, UUID> directories = new TreeMap<>();
    private final TreeMap<Integer, List<SharedStore.Session>> dead = new TreeMap<>();
    private long ids;

    /// One broker.
    final class Running implements TopicData {
        final int id;
        final SharedStore.Session session = store.open();
        final SteppedTime.Box box = time.box();
        final SteppedTime.Box shard = time.box();
        final List<String> retired = new ArrayList<>();
        final Controller controller;
        Reply<ClusterView> joined = new Reply<>();
        Reply<Integer> retirement;
        boolean isSilent;

        /// Sends no signs of life, and answers everything else.
        boolean isMute;

        boolean wantsToStop;
        boolean isDiskFull;

        Running(int id, long cleanEpoch, @Nullable String cluster) {
            this.id = id;
            this.retirement = retirements.getOrDefault(id, Reply.of(0));
            this.controller =
                    new Controller(
                            new ControllerDoors(
                                    session,
                                    time,
                                    () -> ++ids,
                                    box,
                                    List.of(shard),
                                    (broker, home) -> Reply.of(probe(broker.id()))),
                            new TopicPlanner(
                                    new TopicPlanner.Defaults(1, 3),
                                    _ -> otherRules.getOrDefault(id, rules)),
                            this,
                            settings);
            Registration registration =
                    new Registration(
                            id,
                            "host" + id,
                            9092,
                            null,
                            new UUID(id, ++ids),
                            Objects.requireNonNull(directories.get(id)),
                            cluster,
                            cleanEpoch,
                            null);
            box.post(
                    () -> {
                        controller.finishDeletions();
                        joined = controller.start(registration);
                    });
        }

        @Override
        public Reply<Integer> retire(String topic, UUID topicId, int partitions) {
            retired.add(topic);
            return retirement;
        }

        ClusterView view() {
            return controller.view();
        }

        long epoch() {
            return view().brokerEpoch(id);
        }
    }

    private Probe.Result probe(int id) {
        Running process = processes.get(id);
        if (process == null) {
            return Probe.Result.REFUSED;
        }
        return process.isSilent ? Probe.Result.SILENT : Probe.Result.ALIVE;
    }

    Running start(int id) {
        return start(id, Registration.UNCLEAN);
    }

    Running start(int id, long cleanEpoch) {
        directories.computeIfAbsent(id, _ -> new UUID(9, ++ids));
        Running process = new Running(id, cleanEpoch, null);
        processes.put(id, process);
        time.settle();
        return process;
    }

    void startAll(int... brokers) {
        for (int id : brokers) {
            start(id);
        }
        pass(Duration.ofSeconds(1));
    }

    void wipe(int id) {
        directories.put(id, new UUID(9, ++ids));
    }

    /// The process dies; connections to it break, its session lives on.
    void kill(int id) {
        Running process = Objects.requireNonNull(processes.remove(id));
        process.box.kill();
        process.shard.kill();
        process.session.abandon();
        dead.computeIfAbsent(id, _ -> new ArrayList<>()).add(process.session);
        for (Running other : processes.values()) {
            other.controller.connectionLost(id);
            other.controller.controllerLost(id);
        }
        time.settle();
    }

    List<SharedStore.Session> sessionsOfTheDead(int id) {
        return dead.getOrDefault(id, List.of());
    }

    /// Nothing reaches it, nothing leaves it.
    void pause(int id, boolean paused) {
        Running process = of(id);
        process.isSilent = paused;
        process.box.isPaused = paused;
    }

    Running of(int id) {
        return Objects.requireNonNull(processes.get(id));
    }

    Running active() {
        return processes.values().stream()
                .filter(process -> process.controller.isActive() && !process.isSilent)
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody is the controller"));
    }

    /// Time passes, and every broker that can sends signs of life.
    void pass(Duration duration) {
        for (Duration left = duration; !left.isNegative() && !left.isZero(); ) {
            Duration step = left.compareTo(HEARTBEAT) < 0 ? left : HEARTBEAT;
            heartbeats();
            time.advance(step);
            left = left.minus(step);
        }
    }

    private void heartbeats() {
        for (Running sender : List.copyOf(processes.values())) {
            ClusterView seen = sender.controller.registered();
            int controller = seen.controllerId();
            Running receiver = processes.get(controller);
            if (sender.isSilent || sender.isMute || controller == ClusterView.NOBODY) {
                continue;
            }
            sender.controller.controllerAsked(controller);
            long askedAt = time.monotonicNanos();
            if (receiver == null) {
                sender.controller.controllerLost(controller);
                continue;
            }
            if (!receiver.isSilent) {
                receiver.controller
                        .heartbeat(
                                new SignOfLife(
                                        sender.id,
                                        seen.brokerEpoch(sender.id),
                                        sender.wantsToStop,
                                        sender.controller.reachesStore(),
                                        sender.isDiskFull),
                                sender.box)
                        .whenDone(
                                answer ->
                                        sender.controller.controllerAnswered(
                                                controller, answer.value(), askedAt));
            }
        }
        time.settle();
    }

    TopicOutcome execute(TopicCommand command) {
        return settled(active().controller.execute(command, false, client));
    }

    <T> T settled(Reply<T> reply) {
        time.settle();
        return reply.value();
    }

    TopicPlan create(String topic, int partitions, int factor) {
        TopicOutcome outcome =
                execute(new TopicCommand.Create(topic, partitions, factor, List.of(), Map.of()));
        if (outcome instanceof TopicOutcome.Done(TopicPlan plan)) {
            return plan;
        }
        throw new AssertionError(outcome);
    }

    TopicPlan create(String topic, List<List<Integer>> assignment) {
        TopicOutcome outcome =
                execute(new TopicCommand.Create(topic, -1, -1, assignment, Map.of()));
        if (outcome instanceof TopicOutcome.Done(TopicPlan plan)) {
            return plan;
        }
        throw new AssertionError(outcome);
    }

    /// As the store has it.
    PartitionPlan partition(String topic, int index) {
        return TopicPlanFormat.read(topic, store.value("/topics/" + topic), 0)
                .partitions()
                .get(index);
    }

    /// The leader of a partition asks for another in-sync set, of brokers in their present epochs.
    InSyncAnswer alter(String topic, int index, Integer... inSync) {
        PartitionPlan plan = partition(topic, index);
        Running leader = of(plan.leader());
        TreeMap<Integer, Long> members = new TreeMap<>();
        for (int member : inSync) {
            members.put(member, leader.view().brokerEpoch(member));
        }
        TopicPlan found = Objects.requireNonNull(leader.view().findTopic(topic));
        InSyncChange change =
                new InSyncChange(found.id(), index, plan.leaderEpoch(), plan.change(), members);
        return settled(
                        active().controller
                                .alterInSync(leader.id, leader.epoch(), List.of(change), client))
                .getFirst();
    }
}
