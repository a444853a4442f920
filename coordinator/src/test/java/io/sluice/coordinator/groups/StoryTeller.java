package io.sluice.coordinator.groups;

import io.sluice.coordinator.groups.Generation.GenerationMember;
import io.sluice.coordinator.groups.GroupReply.JoinedMember;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Replies, records and groups as sentences.
final class StoryTeller {
    private StoryTeller() {}

    static String tell(GroupReply reply) {
        return switch (reply) {
            case GroupReply.Rejected(Rejection why) -> "rejected: " + why;
            case GroupReply.Joined joined ->
                    "joined generation "
                            + joined.generation()
                            + " as "
                            + joined.memberId()
                            + ", protocol "
                            + joined.protocol()
                            + ", leader "
                            + joined.leader()
                            + (joined.skipAssignment() ? ", no plan needed" : "")
                            + (joined.members().isEmpty()
                                    ? ""
                                    : ", plans for " + members(joined.members()));
            case GroupReply.MemberIdRequired(String id) -> "shall join as " + id;
            case GroupReply.Synced synced ->
                    "assigned "
                            + (synced.assignment().isEmpty()
                                    ? "nothing"
                                    : StoryClient.text(synced.assignment()));
            case GroupReply.Alive _ -> "alive";
            case GroupReply.Left left ->
                    left.members().stream()
                            .map(one -> one.why() == null ? "left" : "rejected: " + one.why())
                            .collect(Collectors.joining(", "));
            case GroupReply.Committed committed -> results("committed", committed.partitions());
            case GroupReply.OffsetsDeleted deleted -> results("deleted", deleted.partitions());
            case GroupReply.Offsets offsets ->
                    "offsets "
                            + offsets.partitions().stream()
                                    .map(one -> one.partition() + "=" + tell(one.committed()))
                                    .collect(Collectors.joining(" "));
            case GroupReply.GroupDeleted _ -> "deleted";
            case GroupReply.Description description -> tell(description);
            case GroupReply.Listing listing ->
                    "groups "
                            + listing.groups().stream()
                                    .map(one -> one.group() + " (" + one.phase().label() + ")")
                                    .collect(Collectors.joining(", "));
            case GroupReply.TopicForgotten(int offsets, boolean _) ->
                    offsets + " offsets forgotten";
        };
    }

    private static String tell(@Nullable CommittedOffset committed) {
        return committed == null ? "none" : String.valueOf(committed.offset());
    }

    private static String results(String verb, List<GroupReply.PartitionResult> partitions) {
        return partitions.stream()
                .map(one -> one.partition() + " " + (one.why() == null ? verb : one.why()))
                .collect(Collectors.joining(", "));
    }

    private static String members(List<JoinedMember> members) {
        return members.stream()
                .map(one -> one.memberId() + "(" + StoryClient.text(one.metadata()) + ")")
                .collect(Collectors.joining(" "));
    }

    private static String tell(GroupReply.Description description) {
        return description.phase().label()
                + " "
                + description.protocolType()
                + "/"
                + description.protocol()
                + description.members().stream()
                        .map(
                                one ->
                                        ", "
                                                + one.memberId()
                                                + " from "
                                                + one.client().host()
                                                + " has "
                                                + StoryClient.text(one.assignment()))
                        .collect(Collectors.joining());
    }

    static String tell(@Nullable GroupChange change) {
        return switch (change) {
            case GroupChange.GenerationRecorded(String _, Generation generation) ->
                    tell(generation);
            case GroupChange.GroupForgotten _ -> "group forgotten";
            case GroupChange.OffsetCommitted(var _, var partition, var committed) ->
                    "offset " + partition + "=" + committed.offset();
            case GroupChange.OffsetForgotten(var _, var partition) ->
                    "offset " + partition + " forgotten";
            case GroupChange.Remembered _ -> throw new IllegalArgumentException("not logged");
            case null -> "a record of another kind";
        };
    }

    private static String tell(Generation generation) {
        if (generation.isEmpty()) {
            return "generation " + generation.number() + " is empty";
        }
        return "generation "
                + generation.number()
                + (generation.isAssigned() ? " assigned: " : " formed: ")
                + generation.members().stream()
                        .map(StoryTeller::tell)
                        .collect(Collectors.joining(", "));
    }

    private static String tell(GenerationMember member) {
        return member.id()
                + (member.assignment().isEmpty()
                        ? ""
                        : "=" + StoryClient.text(member.assignment()));
    }

    static String tell(Group group) {
        return group.phase().label()
                + ", generation "
                + group.generation().number()
                + ", members "
                + (group.members().isEmpty() ? "none" : String.join(" ", group.members().ids()))
                + (group.pending().isEmpty()
                        ? ""
                        : ", awaited " + String.join(" ", group.pending().keySet()));
    }
}
