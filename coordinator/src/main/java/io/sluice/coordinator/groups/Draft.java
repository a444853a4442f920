package io.sluice.coordinator.groups;

import io.sluice.coordinator.Decision;
import io.sluice.coordinator.Decision.Answer;
import io.sluice.coordinator.Ticket;
import io.sluice.coordinator.groups.GroupChange.GenerationRecorded;
import io.sluice.coordinator.groups.GroupChange.GroupMoved;
import io.sluice.coordinator.groups.GroupChange.MemberSeen;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A decision about one group in the making. Owned by the `decide` that began it; nothing has happened until it is finished and applied.
final class Draft {
    private static final int NOTE_MAX = 1_000;

    private final List<GroupChange> logged = new ArrayList<>();
    private final Map<String, Long> seen = new LinkedHashMap<>();
    private final List<Answer<GroupReply>> answers = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private Group group;
    private boolean hasMoved;

    Draft(Group before) {
        this.group = before;
    }

    /// As it will be.
    Group group() {
        return group;
    }

    Members members() {
        return group.members();
    }

    void become(Group next) {
        group = next;
        hasMoved = true;
    }

    void put(Member member) {
        become(group.withMembers(group.members().with(member)));
    }

    /// To the log, from which it is what counts.
    void record(Generation generation) {
        logged.add(new GenerationRecorded(group.id(), generation));
        become(group.withGeneration(generation));
    }

    void seen(String memberId, long deadlineNanos) {
        seen.put(memberId, deadlineNanos);
    }

    void answer(@Nullable Ticket ticket, GroupReply reply) {
        if (ticket != null) {
            answers.add(new Answer<>(ticket, reply));
        }
    }

    void reject(@Nullable Ticket ticket, Rejection why) {
        answer(ticket, new GroupReply.Rejected(why));
    }

    /// Holds names and reasons that clients chose: neither their length nor their control characters get into the operator's log.
    void note(String sentence) {
        String line = "group " + group.id() + ": " + sentence;
        String bounded = line.length() <= NOTE_MAX ? line : line.substring(0, NOTE_MAX) + "…";
        notes.add(bounded.replaceAll("\\p{Cntrl}", "?"));
    }

    Decision<GroupChange, GroupReply> finish() {
        List<GroupChange> changes = new ArrayList<>(logged);
        if (hasMoved) {
            changes.add(new GroupMoved(group));
        }
        seen.forEach(
                (memberId, deadline) -> {
                    if (group.members().contains(memberId)) {
                        changes.add(new MemberSeen(group.id(), memberId, deadline));
                    }
                });
        return new Decision<>(changes, answers, notes);
    }
}
