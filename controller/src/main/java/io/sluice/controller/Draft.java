package io.sluice.controller;

import io.sluice.env.Coordination.Change;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Changes of the plan that are to be written together, in one commit. Owned by whoever decides.
///
/// A commit has a limit; what does not fit is left out as a whole, topic by topic, and decided again when the first part is written.
final class Draft {
    /// A partition that is changed takes at most about so much of its topic's text.
    private static final int PARTITION_BYTES = 100;

    /// What the store takes at most for a change, beside its path and text.
    private static final int CHANGE_BYTES = 200;

    /// A move that waits takes at most about so much of its queue's text, beside the replicas.
    private static final int MOVE_BYTES = 32;

    private final ClusterView base;
    private final Function<Map<String, String>, TopicRules> rules;
    private final int bytesMax;
    private final Set<String> aside;
    private final SortedMap<String, Edit> topics = new TreeMap<>();
    private final SortedMap<Integer, Member> members = new TreeMap<>();
    private final SortedMap<String, SortedMap<Integer, List<Integer>>> moves = new TreeMap<>();
    private final Set<String> countedQueues = new HashSet<>();
    private final SortedMap<String, DeletionNote> notes = new TreeMap<>();
    private final List<Change> others = new ArrayList<>();
    private int bytes;

    /// @param aside topics whose plans stay as they are, since the store does not take them
    Draft(
            ClusterView base,
            Function<Map<String, String>, TopicRules> rules,
            int bytesMax,
            Set<String> aside) {
        this.base = base;
        this.rules = rules;
        this.bytesMax = bytesMax;
        this.aside = aside;
    }

    /// A topic whose partitions change.
    private static final class Edit {
        final TopicPlan before;
        List<PartitionPlan> partitions;
        int bytes;

        Edit(TopicPlan before) {
            this.before = before;
            this.partitions = new ArrayList<>(before.partitions());
        }
    }

    /// One partition's plan becomes another, or stays.
    interface Step {
        PartitionPlan apply(PartitionPlan plan, TopicRules rules);
    }

    /// A partition as it was and as it will be.
    record Difference(PartitionId partition, PartitionPlan before, PartitionPlan after) {}

    ClusterView base() {
        return base;
    }

    TopicRules rulesOf(TopicPlan topic) {
        return topic.rules() == null ? rules.apply(topic.settings()) : topic.rules();
    }

    /// As they are with what was decided so far.
    List<PartitionPlan> partitions(TopicPlan topic) {
        Edit edit = topics.get(topic.name());
        return edit == null ? topic.partitions() : edit.partitions;
    }

    /// As it is with what was decided so far.
    @Nullable PartitionPlan partition(PartitionId id) {
        TopicPlan topic = base.findTopic(id.topic());
        List<PartitionPlan> all = topic == null ? List.of() : partitions(topic);
        return id.index() < 0 || id.index() >= all.size() ? null : all.get(id.index());
    }

    /// Over all partitions of all topics. False when there was no room for all that changes.
    boolean apply(Step step) {
        return apply(base.topics(), step);
    }

    /// Over all partitions of these topics.
    boolean apply(Collection<TopicPlan> some, Step step) {
        for (TopicPlan topic : some) {
            if (aside.contains(topic.name())) {
                continue;
            }
            List<PartitionPlan> changed = null;
            List<PartitionPlan> present = partitions(topic);
            TopicRules its = rulesOf(topic);
            for (int i = 0; i < present.size(); i++) {
                PartitionPlan before = present.get(i);
                PartitionPlan after = step.apply(before, its);
                if (!after.equals(before)) {
                    changed = changed == null ? new ArrayList<>(present) : changed;
                    changed.set(i, after.after(topic.partitions().get(i)));
                }
            }
            if (changed != null && !put(topic, changed)) {
                return false;
            }
        }
        return true;
    }

    /// All of a topic's partitions. False when there is no room for it.
    boolean put(TopicPlan topic, List<PartitionPlan> changed) {
        Edit edit = topics.get(topic.name());
        int size = TopicPlanFormat.write(written(topic, changed)).length();
        int more = size - (edit == null ? 0 : edit.bytes);
        if (aside.contains(topic.name()) || (bytes > 0 && bytes + more > bytesMax)) {
            return false;
        }
        edit = edit == null ? new Edit(topic) : edit;
        edit.partitions = changed;
        edit.bytes = size;
        bytes += more;
        topics.put(topic.name(), edit);
        return true;
    }

    /// Whatever is written says by which rules it was decided.
    private TopicPlan written(TopicPlan topic, List<PartitionPlan> changed) {
        return topic.with(changed).ruled(rulesOf(topic));
    }

    /// One partition. False when there is no room for it.
    boolean put(PartitionId id, PartitionPlan changed) {
        TopicPlan topic = base.findTopic(id.topic());
        if (topic == null) {
            return true;
        }
        PartitionPlan step = changed.after(topic.partitions().get(id.index()));
        Edit edit = topics.get(id.topic());
        if (edit == null) {
            List<PartitionPlan> partitions = new ArrayList<>(topic.partitions());
            partitions.set(id.index(), step);
            return put(topic, partitions);
        }
        if (bytes + PARTITION_BYTES > bytesMax) {
            return false;
        }
        edit.partitions.set(id.index(), step);
        edit.bytes += PARTITION_BYTES;
        bytes += PARTITION_BYTES;
        return true;
    }

    /// The topic whose plan takes the most of it; null when it changes none.
    @Nullable String largestTopic() {
        return topics.entrySet().stream()
                .max(Comparator.comparingInt(each -> each.getValue().bytes))
                .map(Map.Entry::getKey)
                .orElse(null);
    }

    void put(Member member) {
        members.put(member.id(), member);
    }

    void put(DeletionNote note) {
        notes.put(note.topic(), note);
        bytes += size(note.change());
    }

    /// A change that was decided elsewhere.
    void put(Change change) {
        others.add(change);
        bytes += size(change);
    }

    private static int size(Change change) {
        int text =
                switch (change) {
                    case Change.Create create -> create.value().length();
                    case Change.Set set -> set.value().length();
                    case Change.Delete _, Change.Check _ -> 0;
                };
        return CHANGE_BYTES + change.path().length() + text;
    }

    /// A move waits, or does not any more. False when there is no room to write that.
    ///
    /// @param target null when it is taken back
    boolean queue(TopicPlan topic, int partition, @Nullable List<Integer> target) {
        int more = target == null ? 0 : MOVE_BYTES + TopicPlanFormat.join(target).length();
        if (!countedQueues.contains(topic.name())) {
            more += size(MoveQueue.of(topic, base).change());
        }
        if (bytes > 0 && bytes + more > bytesMax) {
            return false;
        }
        countedQueues.add(topic.name());
        bytes += more;
        if (target == null) {
            moves(topic).remove(partition);
        } else {
            moves(topic).put(partition, target);
        }
        return true;
    }

    /// Of a topic whose moves were changed in place: its queue is written anew.
    void countQueue(MoveQueue before) {
        if (countedQueues.add(before.topic())) {
            bytes += size(before.change());
        }
    }

    /// Moves of a topic that wait, by partition: to be changed in place.
    SortedMap<Integer, List<Integer>> moves(TopicPlan topic) {
        return moves.computeIfAbsent(
                topic.name(), _ -> new TreeMap<>(MoveQueue.of(topic, base).targets()));
    }

    boolean isEmpty() {
        return others.isEmpty()
                && members.isEmpty()
                && notes.isEmpty()
                && topics.values().stream()
                        .allMatch(edit -> edit.partitions.equals(edit.before.partitions()))
                && (moves.isEmpty() || changes().isEmpty());
    }

    /// Where much is waiting, more may be decided on top of this.
    boolean hasRoom() {
        return bytes < bytesMax / 2;
    }

    List<Change> changes() {
        List<Change> changes = new ArrayList<>(others);
        members.values().forEach(member -> changes.add(member.change()));
        for (Edit edit : topics.values()) {
            if (!edit.partitions.equals(edit.before.partitions())) {
                changes.add(
                        new Change.Set(
                                TopicPlanner.path(edit.before.name()),
                                TopicPlanFormat.write(written(edit.before, edit.partitions)),
                                edit.before.version()));
            }
        }
        moves.forEach(
                (name, targets) -> {
                    TopicPlan topic = base.findTopic(name);
                    MoveQueue before = topic == null ? null : MoveQueue.of(topic, base);
                    if (before != null && !before.targets().equals(targets)) {
                        changes.add(before.with(targets).change());
                    }
                });
        notes.values().forEach(note -> changes.add(note.change()));
        return changes;
    }

    List<Difference> differences() {
        List<Difference> differences = new ArrayList<>();
        topics.forEach(
                (name, edit) -> {
                    for (int i = 0; i < edit.partitions.size(); i++) {
                        PartitionPlan was = edit.before.partitions().get(i);
                        PartitionPlan is = edit.partitions.get(i);
                        if (!is.equals(was)) {
                            differences.add(new Difference(new PartitionId(name, i), was, is));
                        }
                    }
                });
        return differences;
    }
}
