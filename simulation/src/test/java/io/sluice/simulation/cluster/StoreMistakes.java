package io.sluice.simulation.cluster;

import io.sluice.controller.TopicPlan;
import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Outcome;
import io.sluice.node.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Mistakes of history at the metadata store: put between a correct broker and its door to it. The ids are those of the catalogue of such bugs.
final class StoreMistakes {
    private static final String DELETIONS = "/deletions/";

    private StoreMistakes() {}

    /// Z3, KAFKA-6082: a controller that has lost its office unawares goes on to write.
    static ForgetfulStore writesWithoutEpochCheck(Coordination store) {
        return new ForgetfulStore(
                store,
                changes ->
                        changes.stream()
                                .filter(
                                        change ->
                                                !(change instanceof Change.Check check
                                                        && check.path().equals("/epoch")))
                                .toList(),
                outcome -> outcome,
                _ -> true);
    }

    /// Z1, KAFKA-2729: what is known of the plans is never refreshed while the connection holds.
    static ForgetfulStore missesNewsOfPlans(Coordination store) {
        return new ForgetfulStore(
                store,
                changes -> changes,
                outcome -> outcome,
                path -> !path.startsWith("/topics/"));
    }

    /// Z2, KAFKA-1387, 4229 and their kind: a broker whose session has ended does not notice, and never registers again.
    static Coordination ignoresTheEndOfItsSession(Coordination store, SimBroker broker) {
        return new DeafToItsEnd(store, "/brokers/" + broker.id());
    }

    /// R9, KAFKA-9307: a broker becomes a follower, loses the store half-way, and has noted already that it has followed the plan.
    static Coordination notesPlansTooEarly(Coordination store, SimBroker broker) {
        return new NotedTooEarly(store, broker.id());
    }

    /// A process whose id was given to another one goes on as if it were that one, in its epoch.
    static Coordination takesWhoeverHasItsIdForItself(Coordination store, SimBroker broker) {
        return new MistakenForItself(store, "/brokers/" + broker.id());
    }

    /// A controller that deletes a topic waits for nobody but the replicas.
    static ForgetfulStore asksReplicasAloneToDelete(Coordination store, SimBroker broker) {
        return new ForgetfulStore(
                store,
                changes -> changes.stream().map(change -> ofReplicas(change, broker)).toList(),
                outcome -> outcome,
                _ -> true);
    }

    private static Change ofReplicas(Change change, SimBroker broker) {
        if (!change.path().startsWith(DELETIONS)) {
            return change;
        }
        return switch (change) {
            case Change.Create(String path, String value, Life life) ->
                    new Change.Create(path, ofReplicas(value, broker), life);
            case Change.Set(String path, String value, int version) ->
                    new Change.Set(path, ofReplicas(value, broker), version);
            case Change.Delete _, Change.Check _ -> change;
        };
    }

    private static String ofReplicas(String note, SimBroker broker) {
        List<String> lines = new ArrayList<>();
        for (String line : note.split("\n", -1)) {
            String[] words = line.split(" ", -1);
            lines.add(
                    words[0].equals("topic")
                            ? line.substring(0, line.lastIndexOf(' ') + 1)
                                    + replicas(UUID.fromString(words[1]), words[5], broker)
                            : line);
        }
        return String.join("\n", lines);
    }

    /// Of those named, if the topic is known yet.
    private static String replicas(UUID topic, String named, SimBroker broker) {
        Node node = broker.node();
        TopicPlan plan = node == null ? null : node.controller().view().findTopic(topic);
        if (plan == null) {
            return named;
        }
        List<String> left = new ArrayList<>();
        for (String id : named.split(",", -1)) {
            int number = Integer.parseInt(id);
            if (plan.partitions().stream().anyMatch(one -> one.replicas().contains(number))) {
                left.add(id);
            }
        }
        return String.join(",", left);
    }

    /// A commit of which nobody knows whether it was made counts as made.
    static ForgetfulStore takesUnknownForCommitted(Coordination store) {
        return new ForgetfulStore(
                store,
                changes -> changes,
                outcome -> outcome instanceof Outcome.Unknown ? new Outcome.Committed() : outcome,
                _ -> true);
    }
}
