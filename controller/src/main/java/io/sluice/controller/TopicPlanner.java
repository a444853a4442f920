package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination.Change;
import io.sluice.settings.InvalidSetting;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/// Decides about topics: a command and the present view in, a change of the store or a refusal out. Pure.
public final class TopicPlanner {
    /// Guards the plan's size; one topic with this many partitions still fits one node of the store.
    public static final int PARTITIONS_MAX = 100_000;

    static final String TOPICS_PATH = "/topics";

    private final Defaults defaults;
    private final Function<Map<String, String>, TopicRules> rules;

    /// @param rules what settings mean for the choice of leaders; throws [InvalidSetting] for settings that a topic cannot have
    public TopicPlanner(Defaults defaults, Function<Map<String, String>, TopicRules> rules) {
        this.defaults = defaults;
        this.rules = rules;
    }

    public record Defaults(int partitions, int replicationFactor) {}

    /// What is to be written, and the outcome once it is; a refusal writes nothing.
    record Decision(List<Change> changes, TopicOutcome outcome) {
        static Decision refuse(Reason reason, String sentence) {
            return new Decision(List.of(), new TopicOutcome.Refused(reason, sentence));
        }
    }

    /// @param freshId for a topic that is created
    Decision decide(TopicCommand command, ClusterView view, UUID freshId) {
        try {
            return switch (command) {
                case TopicCommand.Create create -> create(create, view, freshId);
                case TopicCommand.Delete delete -> delete(delete, view);
                case TopicCommand.Grow grow -> grow(grow, view);
                case TopicCommand.ChangeSettings change -> changeSettings(change, view);
                case TopicCommand.ReplaceSettings replace ->
                        settings(replace.topic(), replace.settings(), view);
                case TopicCommand.ChangeReplication change ->
                        Decision.refuse(Reason.INVALID_REPLICATION_FACTOR, "Not yet.");
            };
        } catch (InvalidSetting e) {
            return Decision.refuse(Reason.INVALID_SETTING, String.valueOf(e.getMessage()));
        }
    }

    private Decision create(TopicCommand.Create create, ClusterView view, UUID freshId) {
        String flaw = TopicNames.flaw(create.topic());
        if (flaw != null) {
            return Decision.refuse(Reason.INVALID_NAME, flaw);
        }
        if (view.findTopic(create.topic()) != null) {
            return Decision.refuse(
                    Reason.ALREADY_EXISTS, "Topic '" + create.topic() + "' already exists.");
        }
        rules.apply(create.settings());
        int factor =
                create.replicationFactor() == -1
                        ? defaults.replicationFactor()
                        : create.replicationFactor();
        int count = create.partitions() == -1 ? defaults.partitions() : create.partitions();
        if (!create.assignment().isEmpty()) {
            count = create.assignment().size();
        } else if (factor < 1 || factor > view.brokers().size()) {
            return Decision.refuse(
                    Reason.INVALID_REPLICATION_FACTOR,
                    "Replication factor "
                            + factor
                            + " is not possible with "
                            + view.brokers().size()
                            + " broker(s); choose 1 to "
                            + view.brokers().size()
                            + ".");
        }
        if (count < 1 || count > PARTITIONS_MAX) {
            return Decision.refuse(
                    Reason.INVALID_PARTITIONS,
                    "A topic has 1 to "
                            + PARTITIONS_MAX
                            + " partitions; "
                            + count
                            + " were asked for.");
        }
        String misplaced = assignmentFlaw(create.assignment(), view);
        if (!misplaced.isEmpty()) {
            return Decision.refuse(Reason.INVALID_ASSIGNMENT, misplaced);
        }
        List<PartitionPlan> partitions = place(0, count, factor, create.assignment(), view);
        TopicPlan plan = new TopicPlan(create.topic(), freshId, partitions, create.settings(), 0);
        return new Decision(
                List.of(new Change.Create(path(plan.name()), TopicPlanFormat.write(plan))),
                new TopicOutcome.Done(plan));
    }

    /// The plan goes and a note of the deletion comes in one step, so that a crash cannot leave data behind that nobody knows of.
    private static Decision delete(TopicCommand.Delete delete, ClusterView view) {
        TopicPlan plan = view.findTopic(delete.topic());
        if (plan == null) {
            return unknown(delete.topic());
        }
        return new Decision(
                List.of(
                        new Change.Delete(path(plan.name()), plan.version()),
                        DeletionNote.none(plan.name()).and(Deletion.of(plan)).change()),
                new TopicOutcome.Done(plan));
    }

    private static Decision grow(TopicCommand.Grow grow, ClusterView view) {
        TopicPlan plan = view.findTopic(grow.topic());
        if (plan == null) {
            return unknown(grow.topic());
        }
        if (plan.isInternal()) {
            // Groups are found by hashing their names onto the partitions: with another number of
            // them, all would be lost.
            return Decision.refuse(
                    Reason.INTERNAL_TOPIC,
                    "'"
                            + plan.name()
                            + "' belongs to the broker; its number of partitions is fixed when it is made.");
        }
        int before = plan.partitions().size();
        if (grow.partitions() <= before || grow.partitions() > PARTITIONS_MAX) {
            return Decision.refuse(
                    Reason.INVALID_PARTITIONS,
                    "Topic '"
                            + plan.name()
                            + "' has "
                            + before
                            + " partitions; the new number must be more, and at most "
                            + PARTITIONS_MAX
                            + ", not "
                            + grow.partitions()
                            + ".");
        }
        int added = grow.partitions() - before;
        if (!grow.assignment().isEmpty() && grow.assignment().size() != added) {
            return Decision.refuse(
                    Reason.INVALID_ASSIGNMENT,
                    added
                            + " partitions are added, but "
                            + grow.assignment().size()
                            + " assignments were given.");
        }
        String misplaced = assignmentFlaw(grow.assignment(), view);
        if (!misplaced.isEmpty()) {
            return Decision.refuse(Reason.INVALID_ASSIGNMENT, misplaced);
        }
        int factor = plan.partitions().getFirst().replicas().size();
        List<PartitionPlan> partitions = new ArrayList<>(plan.partitions());
        partitions.addAll(place(before, added, factor, grow.assignment(), view));
        return update(
                new TopicPlan(plan.name(), plan.id(), partitions, plan.settings(), plan.version()));
    }

    private Decision changeSettings(TopicCommand.ChangeSettings change, ClusterView view) {
        TopicPlan plan = view.findTopic(change.topic());
        if (plan == null) {
            return unknown(change.topic());
        }
        Map<String, String> settings = new HashMap<>(plan.settings());
        change.changes()
                .forEach(
                        (name, value) -> {
                            if (value == null) {
                                settings.remove(name);
                            } else {
                                settings.put(name, value);
                            }
                        });
        return settings(change.topic(), settings, view);
    }

    private Decision settings(String topic, Map<String, String> settings, ClusterView view) {
        TopicPlan plan = view.findTopic(topic);
        if (plan == null) {
            return unknown(topic);
        }
        rules.apply(settings);
        return update(
                new TopicPlan(plan.name(), plan.id(), plan.partitions(), settings, plan.version()));
    }

    private static Decision update(TopicPlan plan) {
        Change change =
                new Change.Set(path(plan.name()), TopicPlanFormat.write(plan), plan.version());
        return new Decision(
                List.of(change), new TopicOutcome.Done(plan.withVersion(plan.version() + 1)));
    }

    /// Round robin over the brokers, each partition starting one further, so that leaders spread evenly (Q10).
    private static List<PartitionPlan> place(
            int from, int count, int factor, List<List<Integer>> assignment, ClusterView view) {
        List<PartitionPlan> partitions = new ArrayList<>(count);
        int brokers = view.brokers().size();
        List<PartitionPlan> byStart = new ArrayList<>(brokers);
        for (int start = 0; start < brokers && assignment.isEmpty(); start++) {
            List<Integer> replicas = new ArrayList<>(factor);
            for (int i = 0; i < factor; i++) {
                replicas.add(view.brokers().get((start + i) % brokers).id());
            }
            byStart.add(PartitionPlan.fresh(replicas));
        }
        for (int i = 0; i < count; i++) {
            if (assignment.isEmpty()) {
                partitions.add(byStart.get((from + i) % brokers));
            } else {
                partitions.add(PartitionPlan.fresh(assignment.get(i)));
            }
        }
        return partitions;
    }

    private static String assignmentFlaw(List<List<Integer>> assignment, ClusterView view) {
        List<Integer> known = view.brokers().stream().map(BrokerView::id).toList();
        for (List<Integer> replicas : assignment) {
            if (replicas.isEmpty() || replicas.size() != assignment.getFirst().size()) {
                return "Every partition needs the same number of replicas, at least one; given: "
                        + replicas
                        + ".";
            }
            if (new HashSet<>(replicas).size() != replicas.size()) {
                return "Replicas " + replicas + " name a broker twice.";
            }
            if (!known.containsAll(replicas)) {
                List<Integer> unknown = new ArrayList<>(replicas);
                unknown.removeAll(known);
                return "Replicas "
                        + replicas
                        + " name unknown broker(s) "
                        + unknown
                        + "; known are "
                        + known
                        + ".";
            }
        }
        return "";
    }

    private static Decision unknown(String topic) {
        return Decision.refuse(Reason.UNKNOWN_TOPIC, "There is no topic '" + topic + "'.");
    }

    static String path(String topic) {
        return TOPICS_PATH + "/" + topic;
    }
}
