package io.sluice.node;

import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.controller.TopicCommand;
import io.sluice.controller.TopicNames;
import io.sluice.controller.TopicOutcome;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Mailbox;
import io.sluice.kafka.api.groups.ClusterOffsetsTopic;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives the offsets topic more replicas when the cluster has grown since it was made: the first group may come when the first broker has just started.
///
/// Only the active controller's does anything. Owned by the controller's mailbox.
final class OffsetsReplication {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetsReplication.class);

    private final Controller controller;
    private final Mailbox owner;
    private boolean asking;

    OffsetsReplication(Controller controller, Mailbox owner) {
        this.controller = controller;
        this.owner = owner;
    }

    void look(ClusterView view) {
        TopicPlan offsets = view.findTopic(TopicNames.OFFSETS);
        if (offsets == null || asking || !controller.isActive()) {
            return;
        }
        int wanted = ClusterOffsetsTopic.replicas(view);
        boolean enough =
                offsets.partitions().stream()
                        .allMatch(one -> one.isMoving() || one.replicas().size() >= wanted);
        if (!enough && view.moves().isEmpty()) {
            asking = true;
            owner.post(() -> raise(wanted));
        }
    }

    private void raise(int wanted) {
        controller
                .execute(
                        new TopicCommand.ChangeReplication(TopicNames.OFFSETS, wanted),
                        false,
                        owner)
                .whenDone(
                        done -> {
                            asking = false;
                            if (!done.isFailed() && done.value() instanceof TopicOutcome.Done) {
                                LOG.info("What consumer groups remember gets {} replicas", wanted);
                            }
                        });
    }
}
