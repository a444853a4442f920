package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.coordination.SimStore;
import io.sluice.simulation.network.Ways;
import java.util.ArrayList;
import java.util.List;

/// What is done to connections between brokers, and to those of clients. Owned by its run.
final class NetworkFaults {
    private final Means means;
    private final Cluster cluster;
    private final SimEntropy entropy;

    NetworkFaults(Means means) {
        this.means = means;
        this.cluster = means.cluster();
        this.entropy = means.entropy();
    }

    private Ways ways() {
        return cluster.network().ways();
    }

    boolean cut(SimBroker one, SimBroker other, boolean both) {
        if (one == other) {
            return false;
        }
        cluster.tell(() -> "cut " + one.machine() + (both ? " <> " : " > ") + other.machine());
        ways().cut(one.machine(), other.machine());
        if (both) {
            ways().cut(other.machine(), one.machine());
        }
        means.after(
                means.duration(),
                () -> {
                    ways().open(one.machine(), other.machine());
                    ways().open(other.machine(), one.machine());
                });
        return true;
    }

    /// From the other brokers; from the store too, or not.
    boolean isolate(SimBroker broker) {
        boolean fromStore = entropy.chance(50);
        cluster.tell(() -> "isolate " + broker.machine() + (fromStore ? " from all" : ""));
        List<String> others = new ArrayList<>();
        cluster.brokers().forEach(other -> others.add(other.machine()));
        others.remove(broker.machine());
        if (fromStore) {
            others.add(SimStore.MACHINE);
        }
        others.forEach(other -> ways().cutBoth(broker.machine(), other));
        means.after(
                means.duration(),
                () ->
                        others.forEach(
                                other -> {
                                    ways().open(broker.machine(), other);
                                    ways().open(other, broker.machine());
                                }));
        return true;
    }

    boolean slow(SimBroker one, SimBroker other) {
        if (one == other) {
            return false;
        }
        ways().slow(one.machine(), other.machine());
        means.after(means.duration(), () -> ways().quick(one.machine(), other.machine()));
        return true;
    }

    boolean reset(SimBroker one, SimBroker other) {
        cluster.network().reset(one.machine(), other.machine());
        return true;
    }

    /// Requests of a broker or of a client arrive after it was told that they failed, and behind what it sent again.
    ///
    /// Not those of a committer: an offset that arrives late takes its group back, as in Kafka, where commits without a generation are not fenced.
    boolean straggle(SimBroker broker) {
        List<String> senders = new ArrayList<>(cluster.clients());
        senders.removeIf(client -> client.startsWith("committer"));
        senders.add(broker.machine());
        String sender = entropy.pick(senders);
        String receiver = entropy.pick(cluster.brokers()).machine();
        if (sender.equals(receiver)) {
            return false;
        }
        cluster.tell(() -> "what " + sender + " sends to " + receiver + " comes late");
        ways().straggle(sender);
        ways().cut(sender, receiver);
        means.after(
                entropy.between(50, 1_500),
                () -> {
                    cluster.network().resetAll(sender, receiver);
                    ways().open(sender, receiver);
                    ways().keepUp(sender);
                });
        return true;
    }

    /// One way, so that an answer is lost to a question that was heard, or both.
    boolean cutClient(SimBroker broker) {
        String client = entropy.pick(cluster.clients());
        boolean answersOnly = entropy.chance(50);
        cluster.tell(() -> "cut " + broker.machine() + (answersOnly ? " > " : " <> ") + client);
        ways().cut(broker.machine(), client);
        if (!answersOnly) {
            ways().cut(client, broker.machine());
        }
        means.after(
                means.duration(),
                () -> {
                    ways().open(broker.machine(), client);
                    ways().open(client, broker.machine());
                });
        return true;
    }

    boolean resetClient(SimBroker broker) {
        cluster.network().reset(entropy.pick(cluster.clients()), broker.machine());
        return true;
    }
}
