package io.sluice.coordinator.groups;

import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.groups.GroupCommand.Assignment;
import io.sluice.coordinator.groups.GroupCommand.Client;
import io.sluice.coordinator.groups.GroupCommand.Dialect;
import io.sluice.coordinator.groups.GroupCommand.Leaver;
import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import io.sluice.coordinator.groups.GroupCommand.OffsetToCommit;
import io.sluice.coordinator.groups.GroupCommand.Timeouts;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A consumer that follows the protocol as the Java client does, reduced to what the coordinator can see.
final class SimulatedConsumer {
    enum Phase {
        IDLE,
        JOINING,
        SYNCING,
        STABLE
    }

    final String name;
    private final @Nullable String instanceId;
    private final int version;
    private final GroupSimulation world;
    private String memberId = "";
    private int incarnation;
    private @Nullable MemberRef zombie;
    int generation = -1;
    boolean isAlive;
    Phase phase = Phase.IDLE;
    Set<Integer> assigned = new TreeSet<>();

    SimulatedConsumer(String name, boolean isStatic, int version, GroupSimulation world) {
        this.name = name;
        this.instanceId = isStatic ? name : null;
        this.version = version;
        this.world = world;
    }

    void start() {
        isAlive = true;
        forgetMembership();
        join();
    }

    /// Says nothing, and hears nothing any more.
    void crash() {
        isAlive = false;
        incarnation++;
        phase = Phase.IDLE;
        assigned = new TreeSet<>();
    }

    void leave() {
        world.ask(
                new GroupCommand.Leave(
                        GroupSimulation.GROUP, List.of(new Leaver(memberId, instanceId, null))),
                _ -> {});
        crash();
    }

    /// What the client would do next of its own accord.
    void poke() {
        switch (phase) {
            case IDLE -> join();
            case STABLE -> heartbeat();
            case JOINING, SYNCING -> {}
        }
    }

    /// The leader has seen more partitions, or a follower has changed its mind.
    void rejoin() {
        if (phase == Phase.STABLE) {
            join();
        }
    }

    /// A process that was taken for dead comes to itself, and commits what it has still in hand.
    void commitAsZombie(long offset) {
        MemberRef late = zombie;
        if (late != null) {
            commit(late, 0, offset);
        }
    }

    void commit(int partition, long offset) {
        commit(ref(), partition, offset);
    }

    private void commit(MemberRef ref, int partition, long offset) {
        int counted = world.generation();
        PartitionId id = GroupSimulation.partition(partition);
        world.ask(
                new GroupCommand.CommitOffsets(
                        GroupSimulation.GROUP,
                        ref,
                        List.of(new OffsetToCommit(id, offset, -1, "", null)),
                        -1),
                outcome -> {
                    if (outcome
                            instanceof Outcome.Done<GroupReply>(GroupReply.Committed committed)) {
                        world.committedUnder(ref.generation(), counted);
                        world.acknowledged(id, offset);
                    }
                });
    }

    private MemberRef ref() {
        return new MemberRef(memberId, instanceId, generation);
    }

    private void join() {
        phase = Phase.JOINING;
        int asking = incarnation;
        world.ask(
                new GroupCommand.Join(
                        GroupSimulation.GROUP,
                        memberId,
                        instanceId,
                        new Client(name, "/10.0.0.1"),
                        new Timeouts(10_000, 20_000),
                        "consumer",
                        StoryClient.protocols("range", Set.of("t")),
                        new Dialect(version >= 4, version >= 9),
                        world.freshId(),
                        null),
                outcome -> {
                    if (asking == incarnation) {
                        joined(outcome);
                    }
                });
    }

    private void joined(Outcome<GroupReply> outcome) {
        switch (outcome) {
            case Outcome.Done<GroupReply>(GroupReply.Joined joined) -> {
                memberId = joined.memberId();
                generation = joined.generation();
                sync(joined);
            }
            case Outcome.Done<GroupReply>(GroupReply.MemberIdRequired(String id)) -> {
                memberId = id;
                join();
            }
            default -> setBack(outcome);
        }
    }

    private void sync(GroupReply.Joined joined) {
        phase = Phase.SYNCING;
        int asking = incarnation;
        List<Assignment> plan = new ArrayList<>();
        if (joined.leader().equals(memberId) && !joined.skipAssignment()) {
            List<GroupReply.JoinedMember> members = joined.members();
            int partitions = world.plan(joined.generation());
            for (int i = 0; i < members.size(); i++) {
                List<String> share = new ArrayList<>();
                for (int p = i; p < partitions; p += members.size()) {
                    share.add(String.valueOf(p));
                }
                plan.add(
                        new Assignment(
                                members.get(i).memberId(), Blob.utf8(String.join(",", share))));
            }
        }
        world.ask(
                new GroupCommand.Sync(
                        GroupSimulation.GROUP, ref(), "consumer", joined.protocol(), plan),
                outcome -> {
                    if (asking == incarnation) {
                        synced(outcome);
                    }
                });
    }

    private void synced(Outcome<GroupReply> outcome) {
        if (outcome instanceof Outcome.Done<GroupReply>(GroupReply.Synced synced)) {
            assigned = GroupSimulation.partitions(synced.assignment());
            world.owns(this, generation, assigned);
            phase = Phase.STABLE;
            if (zombie == null || zombie.generation() < generation - 1) {
                zombie = ref();
            }
        } else {
            setBack(outcome);
        }
    }

    private void heartbeat() {
        int asking = incarnation;
        world.ask(
                new GroupCommand.Heartbeat(GroupSimulation.GROUP, ref()),
                outcome -> {
                    boolean isAlright =
                            outcome instanceof Outcome.Done<GroupReply>(GroupReply.Alive _)
                                    || outcome instanceof Outcome.Unavailable<GroupReply>;
                    if (asking == incarnation && phase == Phase.STABLE && !isAlright) {
                        setBack(outcome);
                    }
                });
    }

    private void setBack(Outcome<GroupReply> outcome) {
        phase = Phase.IDLE;
        assigned = new TreeSet<>();
        if (outcome instanceof Outcome.Done<GroupReply>(GroupReply.Rejected(Rejection why))
                && why != Rejection.REBALANCE_IN_PROGRESS) {
            forgetMembership();
        }
    }

    private void forgetMembership() {
        memberId = "";
        generation = -1;
    }
}
