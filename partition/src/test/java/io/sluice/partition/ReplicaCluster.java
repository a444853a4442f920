package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;

import io.sluice.env.FileSlice;
import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import io.sluice.record.PartitionId;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// One partition on several brokers, each with its own disk and time; fetches are carried by hand. Owned by its test.
public final class ReplicaCluster {
    public static final long BROKER_EPOCH = 70;

    private final Path folder;
    private final TopicSettings settings;
    private final List<PartitionWorld> worlds = new ArrayList<>();
    private final List<Partition> replicas = new ArrayList<>();
    private Assignment plan = Assignment.NONE;

    public ReplicaCluster(Path folder, int brokers, TopicSettings settings) {
        this.folder = folder;
        this.settings = settings;
        for (int broker = 0; broker < brokers; broker++) {
            worlds.add(new PartitionWorld(folder(broker)));
            replicas.add(worlds.get(broker).directory.add(id(), PartitionWorld.TOPIC_ID, settings));
            register(broker);
        }
    }

    private Path folder(int broker) {
        return folder.resolve("broker-" + broker);
    }

    private static PartitionId id() {
        return new PartitionId("orders", 0);
    }

    /// All brokers know of one another.
    private void register(int broker) {
        for (int other = 0; other < worlds.size(); other++) {
            worlds.get(other).brokerEpochs.put(broker, BROKER_EPOCH + broker);
            worlds.get(broker).brokerEpochs.put(other, BROKER_EPOCH + other);
        }
        world(broker).repair = (wanted, _) -> giveForRepair(wanted);
    }

    /// As a fetch of a broker that mends itself is answered.
    private Reply<ByteBuffer> giveForRepair(RepairFetch wanted) {
        Partition from = on(wanted.broker());
        PartitionWorld world = world(wanted.broker());
        if (from.leaderEpoch() != wanted.leaderEpoch()) {
            return Reply.failed(new IllegalStateException("another leader's term"));
        }
        Reply<ReadOutcome> read =
                from.read(
                        wanted.offset(), wanted.maxBytes(), true, ReadFrom.ANY_REPLICA, world.home);
        world.settle();
        return require(read) instanceof ReadOutcome.Found(Records records, _, _)
                        && records instanceof FileSlice
                ? Reply.of(bytes(records))
                : Reply.failed(new IllegalStateException("nothing there: " + read));
    }

    public PartitionWorld world(int broker) {
        return worlds.get(broker);
    }

    public Partition on(int broker) {
        return replicas.get(broker);
    }

    public Assignment plan() {
        return plan;
    }

    /// A new term; everybody hears of it.
    public void lead(int leader, Integer... inSync) {
        plan = planFor(leader, plan.leaderEpoch() + 1, inSync);
        for (int broker = 0; broker < worlds.size(); broker++) {
            tell(broker);
        }
    }

    /// The in-sync set changes; everybody hears of it.
    public void inSync(Integer... inSync) {
        plan = planFor(plan.leader(), plan.leaderEpoch(), inSync);
        for (int broker = 0; broker < worlds.size(); broker++) {
            tell(broker);
        }
    }

    /// A new term of which nobody hears yet.
    public void elect(int leader, Integer... inSync) {
        plan = planFor(leader, plan.leaderEpoch() + 1, inSync);
    }

    private Assignment planFor(int leader, int epoch, Integer... inSync) {
        List<Integer> all = IntStream.range(0, worlds.size()).boxed().toList();
        return new Assignment(leader, epoch, all, List.of(inSync), plan.change() + 1, 0);
    }

    /// One broker hears of the plan.
    public void tell(int broker) {
        on(broker).assign(planOf(broker));
        world(broker).turn();
    }

    public Assignment planOf(int broker) {
        return new Assignment(
                plan.leader(),
                plan.leaderEpoch(),
                plan.replicas(),
                plan.inSync(),
                plan.change(),
                broker);
    }

    /// The broker's process is killed and started again; it knows what was checkpointed.
    public void restart(int broker) {
        PartitionWorld next = new PartitionWorld(folder(broker), world(broker).checkpointed());
        worlds.set(broker, next);
        replicas.set(broker, next.directory.add(id(), PartitionWorld.TOPIC_ID, settings));
        register(broker);
        tell(broker);
    }

    public void settle() {
        worlds.forEach(PartitionWorld::settle);
    }

    public void advance(Duration time) {
        worlds.forEach(world -> world.time.advance(time));
    }

    public FetchPosition position(int broker) {
        Reply<Lookup<FetchPosition>> reply = on(broker).fetchPosition(world(broker).home);
        world(broker).settle();
        if (require(reply) instanceof Lookup.Found(FetchPosition position)) {
            return position;
        }
        throw new AssertionError("no position: " + reply);
    }

    /// A follower's fetch at the leader.
    public ReplicaReadOutcome ask(int leader, int follower, FetchPosition position) {
        Reply<ReplicaReadOutcome> reply =
                on(leader)
                        .readAsReplica(
                                new ReplicaFetch(
                                        follower,
                                        BROKER_EPOCH + follower,
                                        position.leaderEpoch(),
                                        position.offset(),
                                        position.lastEpoch(),
                                        1 << 20,
                                        true),
                                world(leader).home);
        if (!reply.isDone()) {
            world(leader).turn();
        }
        if (!reply.isDone()) {
            world(leader).settle();
        }
        return require(reply);
    }

    /// What the follower does with the answer; not waited for.
    public Reply<FollowOutcome> take(int follower, int epoch, ReplicaReadOutcome outcome) {
        Partition partition = on(follower);
        PartitionWorld world = world(follower);
        Reply<FollowOutcome> reply =
                switch (outcome) {
                    case ReplicaReadOutcome.Found(Records records, long start, long watermark) ->
                            partition.appendFromLeader(
                                    epoch, bytes(records), watermark, start, world.home);
                    case ReplicaReadOutcome.Diverged(int last, long end, _, _) ->
                            partition.cutToLeader(epoch, last, end, world.home);
                    case ReplicaReadOutcome.OutOfRange(long start, _) ->
                            partition.restartFromLeader(epoch, start, world.home);
                    case ReplicaReadOutcome.Failed failed ->
                            throw new AssertionError("refused: " + failed);
                };
        world.turn();
        return reply;
    }

    private static ByteBuffer bytes(Records records) {
        if (records instanceof FileSlice slice) {
            ByteBuffer bytes = slice.read();
            slice.release();
            return bytes;
        }
        return ByteBuffer.allocate(0);
    }

    /// One whole fetch of a follower from the leader of the plan.
    public FollowOutcome fetch(int follower) {
        FetchPosition position = position(follower);
        ReplicaReadOutcome outcome = ask(plan.leader(), follower, position);
        Reply<FollowOutcome> reply = take(follower, position.leaderEpoch(), outcome);
        world(follower).settle();
        world(follower).time.advance(Duration.ofMillis(10));
        world(follower).settle();
        return require(reply);
    }

    /// Fetches until there is no news, twice: what comes at a gap is asked for again.
    public void catchUp(int follower) {
        int quiet = 0;
        for (int round = 0; round < 20; round++) {
            FetchPosition before = position(follower);
            if (!(fetch(follower) instanceof FollowOutcome.Next(FetchPosition after))) {
                throw new AssertionError("cannot go on from " + before);
            }
            quiet = after.equals(before) ? quiet + 1 : 0;
            if (quiet == 2) {
                return;
            }
        }
        throw new AssertionError("does not come to an end");
    }

    public Reply<AppendOutcome> append(int broker, Acks acks, String... values) {
        Reply<AppendOutcome> reply = world(broker).append(on(broker), acks, values);
        world(broker).turn();
        return reply;
    }

    /// Everything in the log of a replica, committed or not.
    public PartitionStatus status(int broker) {
        Reply<Lookup<PartitionStatus>> reply = on(broker).status(world(broker).home);
        world(broker).settle();
        if (require(reply) instanceof Lookup.Found(PartitionStatus status)) {
            return status;
        }
        throw new AssertionError("no status: " + reply);
    }

    /// What a consumer reads on this broker.
    public List<String> values(int broker) {
        return world(broker)
                .valuesFrom(on(broker), status(broker).startOffset(), ReadFrom.ANY_REPLICA);
    }
}
