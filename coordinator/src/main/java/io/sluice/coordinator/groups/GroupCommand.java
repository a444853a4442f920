package io.sluice.coordinator.groups;

import io.sluice.record.PartitionId;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What can be asked of the groups on one partition. Immutable.
///
/// @param <R> how it is answered
public sealed interface GroupCommand<R extends GroupReply> {
    /// A member (re)joins; answered when the round of joining is over.
    ///
    /// @param memberId empty for one that has none yet
    /// @param fresh randomness for the id of a new member
    /// @param reason why the client joins, for the operator (KIP-800)
    record Join(
            String group,
            String memberId,
            @Nullable String instanceId,
            Client client,
            Timeouts timeouts,
            String protocolType,
            List<Protocol> protocols,
            Dialect dialect,
            UUID fresh,
            @Nullable String reason)
            implements GroupCommand<GroupReply.ToJoin> {}

    /// A member asks for its assignment; the leader brings those of all.
    ///
    /// @param protocolType what the member believes, if its version tells (KIP-559)
    record Sync(
            String group,
            MemberRef member,
            @Nullable String protocolType,
            @Nullable String protocol,
            List<Assignment> assignments)
            implements GroupCommand<GroupReply.ToSync> {}

    record Heartbeat(String group, MemberRef member)
            implements GroupCommand<GroupReply.ToHeartbeat> {}

    record Leave(String group, List<Leaver> leavers) implements GroupCommand<GroupReply.ToLeave> {}

    /// @param retentionMillis how long the client wants these offsets kept, -1 for the broker's setting (versions 2–4)
    record CommitOffsets(
            String group, MemberRef member, List<OffsetToCommit> offsets, long retentionMillis)
            implements GroupCommand<GroupReply.ToCommit> {}

    /// @param partitions null for all that have an offset
    record FetchOffsets(String group, @Nullable List<PartitionId> partitions)
            implements GroupCommand<GroupReply.Offsets> {}

    record DeleteOffsets(String group, List<PartitionId> partitions)
            implements GroupCommand<GroupReply.ToDeleteOffsets> {}

    record DeleteGroup(String group) implements GroupCommand<GroupReply.ToDeleteGroup> {}

    record Describe(String group) implements GroupCommand<GroupReply.ToDescribe> {}

    /// @param phases in lower case; empty for all
    record ListGroups(Set<String> phases) implements GroupCommand<GroupReply.Listing> {}

    /// The topic is gone: its offsets mean nothing any more, and would be wrong for a topic of the same name. There may be such a one by now: what was committed for that stays.
    record ForgetTopic(String topic, UUID id) implements GroupCommand<GroupReply.TopicForgotten> {}

    /// @param host as a person would write it
    record Client(String id, String host) {}

    record Timeouts(int sessionMillis, int rebalanceMillis) {}

    /// One way of assigning that a member can take part in, and what it tells the leader about itself for it.
    record Protocol(String name, Blob metadata) {}

    /// What the client's version of the protocol can do.
    ///
    /// @param takesMemberIdFirst comes back with the id that it is given before it counts as a member (KIP-394)
    /// @param skipsAssignment understands being leader without a plan to make (KIP-814)
    record Dialect(boolean takesMemberIdFirst, boolean skipsAssignment) {}

    /// Who speaks, and of which generation; -1 for one that is no member.
    record MemberRef(String memberId, @Nullable String instanceId, int generation) {}

    record Assignment(String memberId, Blob partitions) {}

    /// @param memberId empty when an operator removes a static member by its instance id
    record Leaver(String memberId, @Nullable String instanceId, @Nullable String reason) {}

    record OffsetToCommit(
            PartitionId partition,
            long offset,
            int leaderEpoch,
            String metadata,
            @Nullable UUID topicId) {}
}
