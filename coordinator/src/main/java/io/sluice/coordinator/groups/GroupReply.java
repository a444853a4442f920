package io.sluice.coordinator.groups;

import io.sluice.record.PartitionId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the groups on one partition answer. Immutable.
public sealed interface GroupReply {
    sealed interface ToJoin extends GroupReply {}

    sealed interface ToSync extends GroupReply {}

    sealed interface ToHeartbeat extends GroupReply {}

    sealed interface ToLeave extends GroupReply {}

    sealed interface ToCommit extends GroupReply {}

    sealed interface ToDeleteOffsets extends GroupReply {}

    sealed interface ToDeleteGroup extends GroupReply {}

    sealed interface ToDescribe extends GroupReply {}

    /// The same to whatever was asked.
    record Rejected(Rejection why)
            implements ToJoin,
                    ToSync,
                    ToHeartbeat,
                    ToLeave,
                    ToCommit,
                    ToDeleteOffsets,
                    ToDeleteGroup,
                    ToDescribe {}

    /// @param members for the leader, who makes the plan; empty for others
    record Joined(
            int generation,
            String protocolType,
            String protocol,
            String leader,
            String memberId,
            boolean skipAssignment,
            List<JoinedMember> members)
            implements ToJoin {}

    record JoinedMember(String memberId, @Nullable String instanceId, Blob metadata) {}

    /// Join again with this id (KIP-394).
    record MemberIdRequired(String memberId) implements ToJoin {}

    record Synced(String protocolType, String protocol, Blob assignment) implements ToSync {}

    record Alive() implements ToHeartbeat {}

    record Left(List<LeftMember> members) implements ToLeave {}

    record LeftMember(String memberId, @Nullable String instanceId, @Nullable Rejection why) {}

    record Committed(List<PartitionResult> partitions) implements ToCommit {}

    record OffsetsDeleted(List<PartitionResult> partitions) implements ToDeleteOffsets {}

    /// @param why null when it went well
    record PartitionResult(PartitionId partition, @Nullable Rejection why) {}

    record Offsets(List<FetchedOffset> partitions) implements GroupReply {}

    /// @param committed null when there is none
    record FetchedOffset(PartitionId partition, @Nullable CommittedOffset committed) {}

    record GroupDeleted() implements ToDeleteGroup {}

    /// @param protocol empty unless the group is stable
    record Description(
            String group,
            GroupPhase phase,
            String protocolType,
            String protocol,
            List<DescribedMember> members)
            implements ToDescribe {}

    record DescribedMember(
            String memberId,
            @Nullable String instanceId,
            GroupCommand.Client client,
            Blob metadata,
            Blob assignment) {}

    record Listing(List<ListedGroup> groups) implements GroupReply {}

    record ListedGroup(String group, String protocolType, GroupPhase phase) {}

    /// @param isComplete false when there are more: ask again
    record TopicForgotten(int offsets, boolean isComplete) implements GroupReply {}
}
