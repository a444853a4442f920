package io.sluice.simulation.cluster;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;

/// Mistakes of history at the metadata store: put between a correct broker and its door to it. The ids are those of the catalogue of such bugs.
final class StoreMistakes {
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

    /// A process whose id was given to another one goes on as if it were that one, in its epoch.
    static Coordination takesWhoeverHasItsIdForItself(Coordination store, SimBroker broker) {
        return new MistakenForItself(store, "/brokers/" + broker.id());
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
