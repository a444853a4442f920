package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination.Change;
import io.sluice.settings.InvalidSetting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/// Decides about topics: a command and the present view in, a change of the store or a refusal out. Pure.
public final class TopicPlanner {
    /// Guards the plan's size. How many fit one node of the store is another matter: it depends on what that takes, and on the number of replicas.
    public static final int PARTITIONS_MAX = 100_000;

    static final String TOPICS_PATH = "/topics";

    private final Defaults defaults;
    private final Function<Map<String, String>, TopicRules> rules;
    private final long largestCommit;

    /// For a store that takes everything.
    public TopicPlanner(Defaults defaults, Function<Map<String, String>, TopicRules> rules) {
        this(defaults, rules, Long.MAX_VALUE);
    }

    /// @param rules what settings mean for the choice of leaders; throws [InvalidSetting] for settings that a topic cannot have
    /// @param largestCommit what the store takes at once, in bytes
    public TopicPlanner(
            Defaults defaults,
            Function<Map<String, String>, TopicRules> rules,
            long largestCommit) {
        this.defaults = defaults;
        this.rules = rules;
        this.largestCommit = largestCommit;
    }

    public record Defaults(int partitions, int replicationFactor) {}

    /// What is to be written, and the outcome once it is; a refusal writes nothing.
    record Decision(List<Change> changes, TopicOutcome outcome) {
        static Decision refuse(Reason reason, String sentence) {
            return new Decision(List.of(), new TopicOutcome.Refused(reason, sentence));
        }
    }

    /// @param freshId for a topic that is created
    Decision decide(TopicCommand command, Circumstances circumstances, UUID freshId) {
        ClusterView view = circumstances.view();
        try {
            return switch (command) {
                case TopicCommand.Create create -> create(create, circumstances, freshId);
                case TopicCommand.Delete delete -> delete(delete, view);
                case TopicCommand.Grow grow -> grow(grow, circumstances);
                case TopicCommand.ChangeSettings change -> changeSettings(change, view);
                case TopicCommand.ReplaceSettings replace -> replaceSettings(replace, view);
                case TopicCommand.ChangeReplication change ->
                        changeReplication(change, circumstances);
            };
        } catch (InvalidSetting e) {
            return Decision.refuse(Reason.INVALID_SETTING, String.valueOf(e.getMessage()));
        }
    }

    /// What a topic's settings mean for the choice of its leaders, where its plan does not say it. Settings that cannot be understood any more mean what is careful.
    TopicRules rulesOf(Map<String, String> settings) {
        try {
            return rules.apply(settings);
        } catch (InvalidSetting e) {
            return TopicRules.DEFAULT;
        }
    }

    private Decision create(TopicCommand.Create create, Circumstances circumstances, UUID freshId) {
        ClusterView view = circumstances.view();
        String flaw = TopicNames.flaw(create.topic());
        if (flaw != null) {
            return Decision.refuse(Reason.INVALID_NAME, flaw);
        }
        TopicPlan present = view.findTopic(create.topic());
        if (present != null) {
            return Decision.refuse(
                    Reason.ALREADY_EXISTS, "Topic '" + create.topic() + "' already exists.");
        }
        TopicRules wanted = rules.apply(create.settings());
        int factor =
                create.replicationFactor() == -1
                        ? Math.min(defaults.replicationFactor(), view.members().size())
                        : create.replicationFactor();
        int count = create.partitions() == -1 ? defaults.partitions() : create.partitions();
        Placement placement = circumstances.placement();
        if (!create.assignment().isEmpty()) {
            count = create.assignment().size();
        } else if (factor < 1 || factor > placement.size()) {
            return tooFewBrokers(factor, circumstances);
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
        String misplaced = Assignments.flaw(create.assignment(), view);
        if (!misplaced.isEmpty()) {
            return Decision.refuse(Reason.INVALID_ASSIGNMENT, misplaced);
        }
        int replicas =
                create.assignment().isEmpty() ? factor : create.assignment().getFirst().size();
        String tooLarge = tooLarge(create.topic(), count, replicas, create.settings(), view);
        if (!tooLarge.isEmpty()) {
            return Decision.refuse(Reason.INVALID_PARTITIONS, tooLarge);
        }
        List<List<Integer>> placed =
                create.assignment().isEmpty()
                        ? placement.place(count, factor, List.of())
                        : create.assignment();
        String tooDemanding =
                tooDemanding(create.topic(), create.settings(), Map.of(), wanted, replicas);
        if (!tooDemanding.isEmpty()) {
            return Decision.refuse(Reason.INVALID_SETTING, tooDemanding);
        }
        PlanNews.tellOfMinInSync(create.topic(), wanted, replicas);
        TopicPlan plan =
                new TopicPlan(
                        create.topic(),
                        freshId,
                        Assignments.fresh(placed, circumstances),
                        create.settings(),
                        wanted,
                        0);
        return new Decision(
                List.of(new Change.Create(path(plan.name()), TopicPlanFormat.write(plan))),
                new TopicOutcome.Done(plan));
    }

    /// Whoever asks for more confirmations than there are replicas asks for a topic that takes nothing with `acks=all`. As a default of the broker, or where it was so before, it is let through and warned of.
    private static String tooDemanding(
            String topic,
            Map<String, String> asked,
            Map<String, String> before,
            TopicRules wanted,
            int replicas) {
        String value = asked.get(TopicRules.MIN_IN_SYNC);
        if (value == null
                || value.equals(before.get(TopicRules.MIN_IN_SYNC))
                || wanted.minInSync() <= replicas) {
            return "";
        }
        return "min.insync.replicas="
                + wanted.minInSync()
                + " is more than the replication factor "
                + replicas
                + " of topic '"
                + topic
                + "': no acks=all could ever be acknowledged. Choose 1 to "
                + replicas
                + ", or give the topic more replicas first.";
    }

    private String tooLarge(
            String topic,
            int partitions,
            int replicas,
            Map<String, String> settings,
            ClusterView view) {
        int widest = view.members().isEmpty() ? 0 : view.members().lastKey();
        return PlanSize.flaw(topic, partitions, replicas, widest, settings, largestCommit);
    }

    private static Decision tooFewBrokers(int factor, Circumstances circumstances) {
        int usable = circumstances.placement().size();
        int known = circumstances.view().members().size();
        return Decision.refuse(
                Reason.INVALID_REPLICATION_FACTOR,
                "Replication factor "
                        + factor
                        + " is not possible with "
                        + usable
                        + " broker(s) that take replicas"
                        + (known > usable
                                ? "; " + (known - usable) + " more are away, stopping or drained"
                                : "")
                        + ". Choose 1 to "
                        + usable
                        + ", or start more brokers.");
    }

    /// The plan goes and a note of the deletion comes in one step, so that a crash cannot leave data behind that nobody knows of.
    private static Decision delete(TopicCommand.Delete delete, ClusterView view) {
        TopicPlan plan = view.findTopic(delete.topic());
        if (plan == null) {
            return unknown(delete.topic());
        }
        DeletionNote note = view.upcoming().deletions().get(plan.name());
        List<Change> changes = new ArrayList<>();
        changes.add(new Change.Delete(path(plan.name()), plan.version()));
        changes.add(
                (note == null ? DeletionNote.none(plan.name()) : note)
                        .and(Deletion.of(plan, view.members().keySet()))
                        .change());
        MoveQueue queue = view.upcoming().moves().get(plan.name());
        if (queue != null) {
            changes.add(new Change.Delete(MoveQueue.path(plan.name()), queue.version()));
        }
        return new Decision(changes, new TopicOutcome.Done(plan));
    }

    private Decision grow(TopicCommand.Grow grow, Circumstances circumstances) {
        ClusterView view = circumstances.view();
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
        String misplaced = Assignments.flaw(grow.assignment(), view);
        if (!misplaced.isEmpty()) {
            return Decision.refuse(Reason.INVALID_ASSIGNMENT, misplaced);
        }
        int factor = plan.partitions().getFirst().staying().size();
        Placement placement = circumstances.placement();
        if (grow.assignment().isEmpty() && factor > placement.size()) {
            return tooFewBrokers(factor, circumstances);
        }
        String tooLarge = tooLarge(plan.name(), grow.partitions(), factor, plan.settings(), view);
        if (!tooLarge.isEmpty()) {
            return Decision.refuse(Reason.INVALID_PARTITIONS, tooLarge);
        }
        List<List<Integer>> placed =
                grow.assignment().isEmpty()
                        ? placement.place(added, factor, plan.partitions())
                        : grow.assignment();
        List<PartitionPlan> partitions = new ArrayList<>(plan.partitions());
        partitions.addAll(Assignments.fresh(placed, circumstances));
        return update(plan.with(partitions));
    }

    /// Partitions with too few replicas get more, those with too many keep the first, in sync if possible; by moves, a few at a time.
    private Decision changeReplication(
            TopicCommand.ChangeReplication change, Circumstances circumstances) {
        TopicPlan plan = circumstances.view().findTopic(change.topic());
        if (plan == null) {
            return unknown(change.topic());
        }
        Placement placement = circumstances.placement();
        if (change.replicationFactor() < 1 || change.replicationFactor() > placement.size()) {
            return tooFewBrokers(change.replicationFactor(), circumstances);
        }
        String tooLarge =
                tooLarge(
                        plan.name(),
                        plan.partitions().size(),
                        change.replicationFactor(),
                        plan.settings(),
                        circumstances.view());
        if (!tooLarge.isEmpty()
                && change.replicationFactor() > plan.partitions().getFirst().staying().size()) {
            return Decision.refuse(Reason.INVALID_REPLICATION_FACTOR, tooLarge);
        }
        PlanNews.tellOfMinInSync(plan.name(), plan.rules(), change.replicationFactor());
        MoveQueue queue = MoveQueue.of(plan, circumstances.view());
        SortedMap<Integer, List<Integer>> targets = new TreeMap<>(queue.targets());
        for (int i = 0; i < plan.partitions().size(); i++) {
            PartitionPlan partition = plan.partitions().get(i);
            List<Integer> target =
                    Assignments.resized(partition, change.replicationFactor(), placement);
            if (!target.equals(partition.staying())) {
                placement.moved(partition.replicas(), target);
                targets.put(i, target);
            }
        }
        return new Decision(
                targets.equals(queue.targets()) ? List.of() : List.of(queue.with(targets).change()),
                new TopicOutcome.Done(plan));
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
        return settings(plan, settings, change.changes().keySet(), view);
    }

    private Decision replaceSettings(TopicCommand.ReplaceSettings replace, ClusterView view) {
        TopicPlan plan = view.findTopic(replace.topic());
        return plan == null
                ? unknown(replace.topic())
                : settings(plan, replace.settings(), plan.settings().keySet(), view);
    }

    /// What the topic does not set for itself stays as it was noted, whatever the defaults are now.
    ///
    /// @param named what the command is about: of these, what is not set follows the defaults of now
    private Decision settings(
            TopicPlan plan, Map<String, String> settings, Set<String> named, ClusterView view) {
        TopicRules before = plan.rules() == null ? rulesOf(plan.settings()) : plan.rules();
        Map<String, String> noted =
                new HashMap<>(plan.rules() == null ? Map.of() : before.settings());
        noted.keySet().removeAll(named);
        noted.putAll(settings);
        TopicRules wanted = rules.apply(noted);
        int replicas = fewestReplicas(plan, view);
        String tooDemanding =
                tooDemanding(plan.name(), settings, plan.settings(), wanted, replicas);
        if (!tooDemanding.isEmpty()) {
            return Decision.refuse(Reason.INVALID_SETTING, tooDemanding);
        }
        PlanNews.tellOfMinInSync(plan.name(), wanted, replicas);
        List<PartitionPlan> partitions =
                plan.partitions().stream()
                        .map(each -> Elections.ruled(each, before, wanted))
                        .toList();
        return update(
                new TopicPlan(
                        plan.name(), plan.id(), partitions, settings, wanted, plan.version()));
    }

    /// Of the partition that has the fewest, when all moves that were asked for are done.
    private static int fewestReplicas(TopicPlan plan, ClusterView view) {
        SortedMap<Integer, List<Integer>> targets = MoveQueue.of(plan, view).targets();
        int fewest = Integer.MAX_VALUE;
        for (int i = 0; i < plan.partitions().size(); i++) {
            List<Integer> target = targets.get(i);
            List<Integer> replicas = target == null ? plan.partitions().get(i).staying() : target;
            fewest = Math.min(fewest, replicas.size());
        }
        return fewest;
    }

    private static Decision update(TopicPlan plan) {
        Change change =
                new Change.Set(path(plan.name()), TopicPlanFormat.write(plan), plan.version());
        return new Decision(
                List.of(change), new TopicOutcome.Done(plan.withVersion(plan.version() + 1)));
    }

    private static Decision unknown(String topic) {
        return Decision.refuse(Reason.UNKNOWN_TOPIC, "There is no topic '" + topic + "'.");
    }

    static String path(String topic) {
        return TOPICS_PATH + "/" + topic;
    }
}
