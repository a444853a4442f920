package io.sluice.simulation.cluster;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Mistakes of history at the metadata store: put between a correct broker and its door to it. The ids are those of the catalogue of such bugs.
final class StoreMistakes {
    /// Replicas and who of them is in sync, where nobody is eligible beside those.
    private static final Pattern PLACED =
            Pattern.compile("replicas ([0-9,]+) insync ([0-9,]+)(?! eligible|[0-9,])");

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

    /// A commit of which nobody knows whether it was made counts as made.
    static ForgetfulStore takesUnknownForCommitted(Coordination store) {
        return new ForgetfulStore(
                store,
                changes -> changes,
                outcome -> outcome instanceof Outcome.Unknown ? new Outcome.Committed() : outcome,
                _ -> true);
    }

    /// KIP-966 misread: whoever has left the in-sync set may lead without loss, also of a topic that commits with the only one that is left.
    static ForgetfulStore countsOnThoseWhoLeft(Coordination store) {
        return new ForgetfulStore(
                store,
                changes -> changes.stream().map(StoreMistakes::withThoseWhoLeft).toList(),
                outcome -> outcome,
                _ -> true);
    }

    private static Change withThoseWhoLeft(Change change) {
        if (change instanceof Change.Set(String path, String value, int version)
                && path.startsWith("/topics/")
                && value.contains("\nset min.insync.replicas 1\n")) {
            return new Change.Set(
                    path,
                    PLACED.matcher(value).replaceAll(StoreMistakes::withTheOthersEligible),
                    version);
        }
        return change;
    }

    private static String withTheOthersEligible(MatchResult placed) {
        List<String> left = new ArrayList<>(List.of(placed.group(1).split(",")));
        left.removeAll(List.of(placed.group(2).split(",")));
        return placed.group() + (left.isEmpty() ? "" : " eligible " + String.join(",", left));
    }
}
