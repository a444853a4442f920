package io.sluice.coordinator.groups;

import io.sluice.coordinator.groups.GroupChange.GenerationRecorded;
import io.sluice.coordinator.groups.GroupChange.OffsetCommitted;
import io.sluice.coordinator.groups.GroupChange.OffsetForgotten;
import io.sluice.record.Invariant;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The state of all groups on one partition, and the only code that changes it. Owned by its machine.
///
/// Beside the groups it keeps their agenda: for each group one alarm, never later than the first thing that can be due. What moves a
/// deadline back leaves the alarm; it then rings for nothing once, and is set anew. So neither a heartbeat nor a join looks at all members.
final class GroupTable {
    private final TreeMap<String, Entry> entries = new TreeMap<>();
    private final TreeSet<Alarm> agenda = new TreeSet<>();
    private @Nullable String expiryCursor;
    private long expiryNanos = Long.MAX_VALUE;

    /// What is known of one group, with the parts that change too often to copy. Changed by the table only.
    static final class Entry {
        private Group group;
        private final TreeMap<PartitionId, CommittedOffset> offsets = new TreeMap<>();
        private final Map<String, Long> sessions = new HashMap<>();
        private long alarmNanos = Long.MAX_VALUE;

        private Entry(Group group) {
            this.group = group;
        }

        Group group() {
            return group;
        }

        Map<PartitionId, CommittedOffset> offsets() {
            return Collections.unmodifiableMap(offsets);
        }

        /// Until when each member has to be heard of.
        Map<String, Long> sessions() {
            return Collections.unmodifiableMap(sessions);
        }
    }

    private record Alarm(long nanos, String group) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            int byTime = Long.compare(nanos, other.nanos);
            return byTime != 0 ? byTime : group.compareTo(other.group);
        }
    }

    int size() {
        return entries.size();
    }

    @Nullable Entry find(String group) {
        return entries.get(group);
    }

    /// The group, or one that nobody has heard of.
    Group group(String id) {
        Entry entry = entries.get(id);
        return entry == null ? Group.unknown(id) : entry.group;
    }

    Map<PartitionId, CommittedOffset> offsets(String group) {
        Entry entry = entries.get(group);
        return entry == null ? Map.of() : entry.offsets();
    }

    /// All groups behind the cursor in the order of their names; all there are for null.
    NavigableMap<String, Entry> behind(@Nullable String cursor) {
        return Collections.unmodifiableNavigableMap(
                cursor == null ? entries : entries.tailMap(cursor, false));
    }

    long nextAlarmNanos() {
        return Math.min(agenda.isEmpty() ? Long.MAX_VALUE : agenda.first().nanos(), expiryNanos);
    }

    /// The group whose alarm is the first to ring; null when there is none.
    @Nullable String firstOnAgenda(long nowNanos) {
        return agenda.isEmpty() || agenda.first().nanos() > nowNanos
                ? null
                : agenda.first().group();
    }

    @Nullable String expiryCursor() {
        return expiryCursor;
    }

    void apply(GroupChange change) {
        switch (change) {
            case GenerationRecorded(String id, Generation generation) -> restore(id, generation);
            case GroupChange.GroupForgotten(String id) -> remove(id);
            case OffsetCommitted(String id, PartitionId partition, CommittedOffset committed) ->
                    entry(id).offsets.put(partition, committed);
            case OffsetForgotten(String id, PartitionId partition) -> forget(id, partition);
            case GroupChange.GroupMoved(Group group) -> move(group);
            case GroupChange.MemberSeen(String id, String memberId, long deadline) ->
                    extend(entry(id), memberId, deadline);
            case GroupChange.AlarmMoved(String id, long nanos) -> ring(entry(id), nanos);
            case GroupChange.ExpiryMoved(String cursor, long nanos) -> {
                expiryCursor = cursor;
                expiryNanos = nanos;
            }
            case GroupChange.Restarted restarted -> restart(restarted);
        }
    }

    private Entry entry(String id) {
        return entries.computeIfAbsent(id, name -> new Entry(Group.unknown(name)));
    }

    /// What the log alone says. When it is not a replay, the [GroupChange.GroupMoved] that follows adds what memory knows.
    private void restore(String id, Generation generation) {
        Entry entry = entry(id);
        entry.group = Group.restored(id, generation);
    }

    private void remove(String id) {
        Entry entry = entries.remove(id);
        if (entry != null) {
            ring(entry, Long.MAX_VALUE);
        }
    }

    private void forget(String id, PartitionId partition) {
        Entry entry = entries.get(id);
        if (entry != null) {
            entry.offsets.remove(partition);
            removeIfBlank(entry);
        }
    }

    private void move(Group group) {
        Entry entry = entry(group.id());
        Invariant.check(
                group.generation().equals(entry.group.generation()),
                "memory contradicts the log about group " + group.id());
        entry.group = group;
        if (entry.sessions.size() > group.members().size()) {
            entry.sessions.keySet().retainAll(group.members().ids());
        }
        ring(entry, Math.min(entry.alarmNanos, Deadlines.nextBesidesSessions(group)));
        removeIfBlank(entry);
    }

    private void removeIfBlank(Entry entry) {
        if (entry.group.isBlank() && entry.offsets.isEmpty()) {
            remove(entry.group.id());
        }
    }

    private void extend(Entry entry, String memberId, long deadline) {
        entry.sessions.put(memberId, deadline);
        ring(entry, Math.min(entry.alarmNanos, deadline));
    }

    private void ring(Entry entry, long nanos) {
        if (entry.alarmNanos == nanos) {
            return;
        }
        if (entry.alarmNanos != Long.MAX_VALUE) {
            agenda.remove(new Alarm(entry.alarmNanos, entry.group.id()));
        }
        entry.alarmNanos = nanos;
        if (nanos != Long.MAX_VALUE) {
            agenda.add(new Alarm(nanos, entry.group.id()));
        }
    }

    private void restart(GroupChange.Restarted restarted) {
        expiryNanos = restarted.expiryNanos();
        for (Entry entry : entries.values()) {
            Group group = entry.group;
            for (Member member : group.members().all()) {
                Duration session = Duration.ofMillis(member.timeouts().sessionMillis());
                entry.sessions.put(member.id(), restarted.nowNanos() + session.toNanos());
            }
            if (group.phase() == GroupPhase.COMPLETING_REBALANCE) {
                Duration patience = Duration.ofMillis(group.rebalanceTimeoutMillis());
                entry.group =
                        group.withSyncs(
                                new Group.AwaitedSyncs(
                                        new TreeSet<>(group.members().ids()),
                                        restarted.nowNanos() + patience.toNanos()));
            }
            ring(entry, Deadlines.next(entry.group, entry.sessions));
        }
    }
}
