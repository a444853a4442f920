package io.sluice.coordinator.groups;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One generation of a group, as it is logged: its members, who leads them, who has which partitions. Immutable.
///
/// Logged twice: when it is *formed*, so that its number is never given out again even across a crash, and when it is *assigned*.
/// Kafka logs only the second; a number is the fencing token of commits, and should not be used twice.
///
/// @param number grows by one with each; 0 before the first
/// @param protocolType null before the first member
/// @param protocol null without members
/// @param leader null without members
/// @param sinceMillis wall time at which the generation was formed; the offsets of an empty group age from here (KIP-211)
/// @param isAssigned whether the leader's plan is in it. Not logged as such: formed is what has members and no assignment at all.
public record Generation(
        int number,
        @Nullable String protocolType,
        @Nullable String protocol,
        @Nullable String leader,
        long sinceMillis,
        List<GenerationMember> members,
        boolean isAssigned) {

    static final Generation NONE = new Generation(0, null, null, null, -1, List.of(), false);

    public Generation {
        members = List.copyOf(members);
    }

    /// @param subscription what the member told for the protocol that was chosen
    public record GenerationMember(
            String id,
            @Nullable String instanceId,
            GroupCommand.Client client,
            GroupCommand.Timeouts timeouts,
            Blob subscription,
            Blob assignment) {

        GenerationMember assigned(Blob newAssignment) {
            return new GenerationMember(
                    id, instanceId, client, timeouts, subscription, newAssignment);
        }
    }

    /// The next one, without members.
    Generation nextEmpty(@Nullable String type, long nowMillis) {
        return new Generation(number + 1, type, null, null, nowMillis, List.of(), false);
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    @Nullable GenerationMember find(String memberId) {
        for (GenerationMember member : members) {
            if (member.id().equals(memberId)) {
                return member;
            }
        }
        return null;
    }

    Generation withMembers(List<GenerationMember> newMembers, boolean nowAssigned) {
        return new Generation(
                number, protocolType, protocol, leader, sinceMillis, newMembers, nowAssigned);
    }

    /// A static member has come back under another id (KIP-345); everything else stays.
    Generation replacing(String oldId, GenerationMember replacement) {
        List<GenerationMember> replaced = new ArrayList<>(members.size());
        for (GenerationMember member : members) {
            replaced.add(member.id().equals(oldId) ? replacement : member);
        }
        return new Generation(
                number,
                protocolType,
                protocol,
                oldId.equals(leader) ? replacement.id() : leader,
                sinceMillis,
                replaced,
                isAssigned);
    }
}
