package io.sluice.node;

import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/// How the cluster is, as one broker sees it: numbers, and one verdict with its reasons. Immutable.
///
/// @param offline partitions that nobody leads
/// @param underMinInSync partitions with fewer in-sync replicas than `acks=all` needs
/// @param underReplicated partitions of which some replica is not in sync
/// @param moving partitions whose replicas are on the move
/// @param ledHere partitions that this broker leads
/// @param damagedHere places on this broker's disk that are damaged and not mended
/// @param away ids of brokers that belong to the cluster and are not there
/// @param fullDisks ids of brokers whose disk is full
/// @param hasController one that acts, as far as this broker has noticed
public record ClusterHealth(
        int partitions,
        int offline,
        int underMinInSync,
        int underReplicated,
        int moving,
        int ledHere,
        long damagedHere,
        List<Integer> away,
        List<Integer> fullDisks,
        boolean hasController) {

    /// From bad to good.
    public enum Verdict {
        /// Something cannot be written or read now.
        BROKEN,
        /// Everything works; one more failure may change that.
        DEGRADED,
        HEALTHY
    }

    /// @param isDirected whether this broker reaches the metadata store and its controller: that the view names one is not enough, since nobody could take its name out
    static ClusterHealth of(
            ClusterView view,
            int self,
            ToIntFunction<TopicPlan> minInSync,
            long damagedHere,
            boolean isDirected) {
        int partitions = 0;
        int offline = 0;
        int below = 0;
        int under = 0;
        int moving = 0;
        int led = 0;
        for (TopicPlan topic : view.topics()) {
            int needed = minInSync.applyAsInt(topic);
            for (PartitionPlan plan : topic.partitions()) {
                boolean isLed = view.isLive(plan.leader());
                partitions++;
                offline += isLed ? 0 : 1;
                below += isLed && plan.inSync().size() < needed ? 1 : 0;
                under +=
                        plan.inSync().size() < plan.replicas().size() - plan.adding().size()
                                ? 1
                                : 0;
                moving += plan.isMoving() ? 1 : 0;
                led += plan.leader() == self ? 1 : 0;
            }
        }
        List<Integer> away = new ArrayList<>();
        List<Integer> full = new ArrayList<>();
        for (int member : view.members().keySet()) {
            if (!view.isLive(member)) {
                away.add(member);
            } else if (view.isDiskFull(member)) {
                full.add(member);
            }
        }
        boolean hasController = isDirected && view.controllerId() != ClusterView.NOBODY;
        return new ClusterHealth(
                partitions,
                offline,
                below,
                under,
                moving,
                led,
                damagedHere,
                away,
                full,
                hasController);
    }

    public Verdict verdict() {
        if (offline > 0 || underMinInSync > 0) {
            return Verdict.BROKEN;
        }
        boolean wrong =
                underReplicated > 0
                        || !away.isEmpty()
                        || !fullDisks.isEmpty()
                        || !hasController
                        || damagedHere > 0;
        return wrong ? Verdict.DEGRADED : Verdict.HEALTHY;
    }

    /// One sentence for a person.
    public String reason() {
        List<String> reasons = new ArrayList<>();
        if (offline > 0) {
            reasons.add(offline + " partition(s) have no leader");
        }
        if (underMinInSync > 0) {
            reasons.add(
                    underMinInSync + " partition(s) have too few in-sync replicas for acks=all");
        }
        if (underReplicated > 0) {
            reasons.add(underReplicated + " partition(s) have a replica that is not in sync");
        }
        if (!away.isEmpty()) {
            reasons.add("broker(s) " + away + " are away");
        }
        if (!fullDisks.isEmpty()) {
            reasons.add("the disk of broker(s) " + fullDisks + " is full");
        }
        if (!hasController) {
            reasons.add("no controller acts for this broker: nothing can be elected or created");
        }
        if (damagedHere > 0) {
            reasons.add(damagedHere + " place(s) on this broker's disk are damaged and not mended");
        }
        if (moving > 0) {
            reasons.add(moving + " partition(s) are on the move");
        }
        return reasons.isEmpty()
                ? "every partition has its leader and all of its replicas"
                : String.join("; ", reasons);
    }
}
