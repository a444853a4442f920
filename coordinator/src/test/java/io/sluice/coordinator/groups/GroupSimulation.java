package io.sluice.coordinator.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorLimits;
import io.sluice.coordinator.InMemoryPartition;
import io.sluice.coordinator.ManualWorld;
import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.Unavailability;
import io.sluice.record.LogRecord;
import io.sluice.record.PartitionId;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;

/// Consumers that come, go and crash, a log that is slow, full or loses its tail, a coordinator that is restarted: all from one seed.
///
/// After every event it checks:
/// - *OneOwner*: in a generation a partition is told to one consumer only (KAFKA-16147).
/// - *GenerationsGrow*: nobody is told of a generation older than one that was told before, and each has one leader.
/// - *AcknowledgedIsKept*: an offset whose commit was answered is there, or a later one.
/// - *ZombiesAreFenced*: a commit is taken under the current generation only.
/// - *LogIsTheState*: when all is committed, replaying the log gives the generation and the offsets that are in memory.
///
/// When the faults stop, *EveryoneIsAnswered* and *EveryoneSettles*: all living consumers end up in one generation and share all partitions.
final class GroupSimulation {
    static final String GROUP = "orders";

    private final long seed;
    private final Random random;
    private final ManualWorld world = new ManualWorld();
    private final InMemoryPartition partition = new InMemoryPartition();
    private final List<SimulatedConsumer> consumers = new ArrayList<>();
    private final Map<String, String> owners = new HashMap<>();
    private final Map<Integer, String> leaders = new HashMap<>();
    private final Map<Integer, Integer> planned = new HashMap<>();
    private final Map<PartitionId, Long> acknowledged = new TreeMap<>();
    private final boolean hasSlowCommits;
    private final boolean hasFullDisk;
    private final boolean hasRestarts;
    private final boolean hasLongPauses;
    private GroupMachine machine = new GroupMachine(GroupSettings.defaults());
    private Coordinator<GroupCommand<?>, GroupChange, GroupReply> coordinator;
    private int partitionCount;
    private int unanswered;
    private int newestGeneration;
    private long lastOffset;
    private long trace = 17;

    GroupSimulation(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        this.hasSlowCommits = random.nextBoolean();
        this.hasFullDisk = random.nextInt(3) == 0;
        this.hasRestarts = random.nextBoolean();
        this.hasLongPauses = random.nextBoolean();
        this.partitionCount = 1 + random.nextInt(12);
        this.coordinator = start();
        int size = 1 + random.nextInt(8);
        for (int i = 0; i < size; i++) {
            boolean isStatic = random.nextInt(3) == 0;
            int version = isStatic || random.nextBoolean() ? 9 : 3;
            consumers.add(new SimulatedConsumer("c" + i, isStatic, version, this));
        }
    }

    private Coordinator<GroupCommand<?>, GroupChange, GroupReply> start() {
        machine = new GroupMachine(GroupSettings.defaults());
        return Coordinator.start(
                new Coordinator.Parts<>(
                        "__consumer_offsets-0",
                        partition.open(),
                        machine,
                        new GroupRecordFormat(),
                        world,
                        () -> true,
                        world,
                        CoordinatorLimits.DEFAULT));
    }

    /// Runs it all; the same seed gives the same trace.
    long run(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
            checkAcknowledged();
            if (i % 64 == 0) {
                checkLogIsTheState();
            }
        }
        settle();
        return trace;
    }

    private void step() {
        SimulatedConsumer one = consumers.get(random.nextInt(consumers.size()));
        switch (random.nextInt(13)) {
            case 0, 1 -> {
                if (!one.isAlive) {
                    one.start();
                }
            }
            case 2, 3, 4, 5 -> {
                if (one.isAlive) {
                    one.poke();
                }
            }
            case 6, 7 -> commit(one);
            case 8 -> end(one);
            case 9 -> pass();
            case 10 -> disturbLog();
            case 11 -> disturbGroup(one);
            case 12 -> one.commitAsZombie(++lastOffset);
            default -> throw new IllegalStateException();
        }
        world.settle();
        note("state", phaseAndGeneration());
    }

    private void commit(SimulatedConsumer one) {
        if (one.phase == SimulatedConsumer.Phase.STABLE && !one.assigned.isEmpty()) {
            List<Integer> owned = List.copyOf(new TreeSet<>(one.assigned));
            one.commit(owned.get(random.nextInt(owned.size())), ++lastOffset);
        }
    }

    private void end(SimulatedConsumer one) {
        if (one.isAlive && random.nextBoolean()) {
            one.crash();
        } else if (one.isAlive) {
            one.leave();
        }
    }

    private void pass() {
        int longest = hasLongPauses && random.nextInt(4) == 0 ? 30_000 : 3_000;
        world.advance(Duration.ofMillis(random.nextInt(longest)));
    }

    private void disturbLog() {
        if (hasSlowCommits) {
            partition.commitByItself(random.nextBoolean());
            partition.commit(random.nextInt(1 + partition.uncommittedCount()));
        }
        if (hasFullDisk) {
            partition.refuse(random.nextInt(3) == 0 ? Unavailability.LOG_FULL : null);
        }
        if (hasRestarts && random.nextInt(4) == 0) {
            restart();
        }
    }

    private void disturbGroup(SimulatedConsumer one) {
        if (random.nextInt(4) == 0) {
            partitionCount++;
        }
        one.rejoin();
    }

    private void restart() {
        int survivors = random.nextInt(1 + partition.uncommittedCount());
        partition.loseUncommitted(survivors);
        coordinator.close(Unavailability.STOPPING);
        coordinator = start();
        note("restarted", machine.table().size());
    }

    void ask(GroupCommand<?> command, Consumer<Outcome<GroupReply>> listener) {
        unanswered++;
        coordinator
                .submit(command)
                .whenDone(
                        reply -> {
                            unanswered--;
                            note("reply", reply.value());
                            observe(reply.value());
                            listener.accept(reply.value());
                        });
    }

    private void observe(Outcome<GroupReply> outcome) {
        if (outcome instanceof Outcome.Done<GroupReply>(GroupReply.Joined joined)) {
            assertThat(joined.generation())
                    .as("seed %d: GenerationsGrow", seed)
                    .isGreaterThanOrEqualTo(newestGeneration);
            newestGeneration = joined.generation();
            String leader = nameOf(joined.leader());
            assertThat(leaders.merge(newestGeneration, leader, (old, _) -> old))
                    .as("seed %d: one leader in generation %d", seed, newestGeneration)
                    .isEqualTo(leader);
        }
    }

    /// Member ids end with a UUID; a static member keeps its name when it gets another.
    private static String nameOf(String memberId) {
        return memberId.substring(0, memberId.length() - 37);
    }

    void owns(SimulatedConsumer consumer, int generation, Set<Integer> partitions) {
        for (int p : partitions) {
            String before = owners.putIfAbsent(generation + "/" + p, consumer.name);
            assertThat(before == null ? consumer.name : before)
                    .as("seed %d: OneOwner of %d in generation %d", seed, p, generation)
                    .isEqualTo(consumer.name);
        }
    }

    /// The generation that counts for whoever asks now.
    int generation() {
        return machine.table().group(GROUP).generation().number();
    }

    void committedUnder(int generation, int counted) {
        assertThat(generation).as("seed %d: ZombiesAreFenced", seed).isEqualTo(counted);
    }

    void acknowledged(PartitionId id, long offset) {
        acknowledged.merge(id, offset, Math::max);
    }

    private void checkAcknowledged() {
        Map<PartitionId, CommittedOffset> committed = machine.table().offsets(GROUP);
        acknowledged.forEach(
                (id, offset) -> {
                    CommittedOffset kept = committed.get(id);
                    if (kept == null || kept.offset() < offset) {
                        fail("seed %d: AcknowledgedIsKept for %s: %s", seed, id, kept);
                    }
                });
    }

    private void checkLogIsTheState() {
        if (partition.uncommittedCount() > 0) {
            return;
        }
        GroupMachine replayed = new GroupMachine(GroupSettings.defaults());
        GroupRecordFormat format = new GroupRecordFormat();
        for (ByteBuffer batch : partition.batches()) {
            for (LogRecord record : RecordReader.readAll(RecordBatch.at(batch, 0))) {
                GroupChange change = format.decode(record);
                if (change != null) {
                    replayed.apply(change);
                }
            }
        }
        assertThat(replayed.table().offsets(GROUP))
                .as("seed %d: LogIsTheState", seed)
                .isEqualTo(machine.table().offsets(GROUP));
        assertThat(replayed.table().group(GROUP).generation())
                .as("seed %d: LogIsTheState", seed)
                .isEqualTo(machine.table().group(GROUP).generation());
    }

    /// No more faults: within some minutes everyone alive is in, and everyone else is out.
    private void settle() {
        partition.refuse(null);
        partition.commitByItself(true);
        partition.commitAll();
        for (int second = 0; second < 240; second++) {
            for (SimulatedConsumer consumer : consumers) {
                if (consumer.isAlive) {
                    consumer.poke();
                }
            }
            world.advance(Duration.ofSeconds(1));
            checkAcknowledged();
        }
        checkLogIsTheState();
        assertThat(unanswered).as("seed %d: EveryoneIsAnswered", seed).isZero();
        List<SimulatedConsumer> alive = consumers.stream().filter(each -> each.isAlive).toList();
        Group group = machine.table().group(GROUP);
        assertThat(group.members().size())
                .as("seed %d: EveryoneSettles", seed)
                .isEqualTo(alive.size());
        Set<Integer> shared = new TreeSet<>();
        for (SimulatedConsumer consumer : alive) {
            assertThat(consumer.phase)
                    .as("seed %d: EveryoneSettles, %s", seed, consumer.name)
                    .isEqualTo(SimulatedConsumer.Phase.STABLE);
            assertThat(consumer.generation).isEqualTo(group.generation().number());
            shared.addAll(consumer.assigned);
        }
        assertThat(shared)
                .as("seed %d: all partitions that the leader knew are read", seed)
                .hasSize(alive.isEmpty() ? 0 : planned.getOrDefault(newestGeneration, 0));
    }

    /// How many partitions the leader of a generation finds when it makes its plan.
    int plan(int generation) {
        planned.put(generation, partitionCount);
        return partitionCount;
    }

    UUID freshId() {
        return new UUID(random.nextLong(), random.nextLong());
    }

    static PartitionId partition(int index) {
        return new PartitionId("t", index);
    }

    static Set<Integer> partitions(Blob assignment) {
        Set<Integer> partitions = new TreeSet<>();
        String text = StandardCharsets.UTF_8.decode(assignment.buffer()).toString();
        for (String one : text.isEmpty() ? new String[0] : text.split(",")) {
            partitions.add(Integer.parseInt(one));
        }
        return partitions;
    }

    private String phaseAndGeneration() {
        Group group = machine.table().group(GROUP);
        return group.phase() + "/" + group.generation().number();
    }

    private void note(String what, Object detail) {
        trace = 31 * trace + (what + detail).hashCode();
    }
}
