package io.sluice.coordinator.groups;

import io.sluice.coordinator.Decision;
import io.sluice.coordinator.Moment;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.GroupChange.OffsetCommitted;
import io.sluice.coordinator.groups.GroupChange.OffsetForgotten;
import io.sluice.coordinator.groups.GroupCommand.CommitOffsets;
import io.sluice.coordinator.groups.GroupCommand.DeleteOffsets;
import io.sluice.coordinator.groups.GroupCommand.FetchOffsets;
import io.sluice.coordinator.groups.GroupCommand.MemberRef;
import io.sluice.coordinator.groups.GroupCommand.OffsetToCommit;
import io.sluice.coordinator.groups.GroupReply.FetchedOffset;
import io.sluice.coordinator.groups.GroupReply.PartitionResult;
import io.sluice.record.PartitionId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// OffsetCommit, OffsetFetch, OffsetDelete: where a group goes on. Pure.
final class OffsetDecisions {
    private final GroupSettings settings;

    OffsetDecisions(GroupSettings settings) {
        this.settings = settings;
    }

    Decision<GroupChange, GroupReply> commit(
            Group group, CommitOffsets commit, Ticket ticket, Moment now) {
        Rejection why =
                MemberCheck.isTooLong(commit.group())
                        ? Rejection.NAME_TOO_LONG
                        : mayCommit(group, commit.member());
        if (why != null) {
            return Decision.answer(ticket, new GroupReply.Rejected(why));
        }
        List<GroupChange> changes = new ArrayList<>();
        List<PartitionResult> results = new ArrayList<>();
        for (OffsetToCommit one : commit.offsets()) {
            int metadataBytes = one.metadata().getBytes(StandardCharsets.UTF_8).length;
            if (metadataBytes > settings.limits().offsetMetadataBytesMax()) {
                results.add(
                        new PartitionResult(one.partition(), Rejection.OFFSET_METADATA_TOO_LARGE));
            } else {
                results.add(new PartitionResult(one.partition(), null));
                changes.add(
                        new OffsetCommitted(
                                commit.group(), one.partition(), committed(one, commit, now)));
            }
        }
        Member member = group.members().find(commit.member().memberId());
        if (member != null) {
            // Who commits is alive.
            changes.add(
                    new GroupChange.MemberSeen(
                            commit.group(), member.id(), Rounds.sessionEnd(member, now)));
        }
        return Decision.of(changes, ticket, new GroupReply.Committed(results));
    }

    private static CommittedOffset committed(OffsetToCommit one, CommitOffsets commit, Moment now) {
        long expiresAt =
                commit.retentionMillis() < 0
                        ? CommittedOffset.NEVER
                        : now.wallMillis() + commit.retentionMillis();
        return new CommittedOffset(
                one.offset(),
                one.leaderEpoch(),
                one.metadata(),
                now.wallMillis(),
                expiresAt,
                // What has a time of its own is written without.
                expiresAt == CommittedOffset.NEVER ? one.topicId() : null);
    }

    /// A group with members takes commits from them only, and only of the current generation. Without members anybody may:
    /// consumers that assign partitions by hand, and operators who reset offsets.
    private static @Nullable Rejection mayCommit(Group group, MemberRef ref) {
        boolean isMember =
                ref.generation() >= 0 || !ref.memberId().isEmpty() || ref.instanceId() != null;
        if (!isMember) {
            return group.phase() == GroupPhase.EMPTY ? null : Rejection.UNKNOWN_MEMBER;
        }
        if (ref.generation() < 0 && group.phase() == GroupPhase.EMPTY) {
            return null;
        }
        Rejection why = MemberCheck.membership(group, ref);
        if (why != null) {
            return group.isBlank() ? Rejection.GROUP_NOT_FOUND : why;
        }
        // The member has joined the new generation and may have lost the partition in it, for all
        // it knows.
        return group.phase() == GroupPhase.COMPLETING_REBALANCE
                ? Rejection.REBALANCE_IN_PROGRESS
                : null;
    }

    static GroupReply.Offsets fetch(
            FetchOffsets fetch, Map<PartitionId, CommittedOffset> committed) {
        List<FetchedOffset> fetched = new ArrayList<>();
        List<PartitionId> wanted = fetch.partitions();
        if (wanted == null) {
            committed.forEach((partition, one) -> fetched.add(new FetchedOffset(partition, one)));
        } else {
            for (PartitionId partition : wanted) {
                fetched.add(new FetchedOffset(partition, committed.get(partition)));
            }
        }
        return new GroupReply.Offsets(fetched);
    }

    static Decision<GroupChange, GroupReply> delete(
            Group group,
            DeleteOffsets delete,
            Map<PartitionId, CommittedOffset> committed,
            Ticket ticket) {
        boolean isEmpty = group.phase() == GroupPhase.EMPTY;
        if (!isEmpty && !Subscriptions.CONSUMER.equals(group.protocolType())) {
            return Decision.answer(ticket, new GroupReply.Rejected(Rejection.GROUP_NOT_EMPTY));
        }
        Set<String> inUse = isEmpty ? Set.of() : Subscriptions.topics(group.generation());
        List<GroupChange> changes = new ArrayList<>();
        List<PartitionResult> results = new ArrayList<>();
        for (PartitionId partition : delete.partitions()) {
            // What cannot be read might be a subscription to anything.
            if (inUse == null || inUse.contains(partition.topic())) {
                results.add(new PartitionResult(partition, Rejection.TOPIC_IN_USE));
            } else {
                results.add(new PartitionResult(partition, null));
                if (committed.containsKey(partition)) {
                    changes.add(new OffsetForgotten(delete.group(), partition));
                }
            }
        }
        return Decision.of(changes, ticket, new GroupReply.OffsetsDeleted(results));
    }
}
