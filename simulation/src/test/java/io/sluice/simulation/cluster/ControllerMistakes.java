package io.sluice.simulation.cluster;

import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.kafka.api.Handlers;
import io.sluice.kafka.wire.message.AlterPartitionRequest;
import io.sluice.node.Node;
import java.util.ArrayList;
import java.util.List;

/// Mistakes of history at the controller: put in front of what it is asked.
final class ControllerMistakes {
    private ControllerMistakes() {}

    /// A leader that has been replaced, and has not heard of it, takes those out of the in-sync set who do not fetch from it any more; and is believed.
    static Handlers believesFormerLeaders(Handlers handlers, Node node) {
        return (request, context) ->
                handlers.handle(
                        request instanceof AlterPartitionRequest alter
                                ? inTheNameOfTheLeaders(alter, node)
                                : request,
                        context);
    }

    /// Of a request for one topic's partitions; in the name of their present leader.
    private static AlterPartitionRequest inTheNameOfTheLeaders(
            AlterPartitionRequest request, Node node) {
        ClusterView view = node.controller().view();
        for (AlterPartitionRequest.TopicData topic : request.topics()) {
            TopicPlan plan = view.findTopic(topic.topicId());
            for (AlterPartitionRequest.PartitionData data : topic.partitions()) {
                PartitionPlan present =
                        plan == null ? null : plan.partitions().get(data.partitionIndex());
                if (present != null
                        && present.hasLeader()
                        && present.leader() != request.brokerId()) {
                    return new AlterPartitionRequest(
                            present.leader(),
                            view.brokerEpoch(present.leader()),
                            List.of(
                                    new AlterPartitionRequest.TopicData(
                                            topic.topicId(),
                                            List.of(withPresent(data, present, view)))));
                }
            }
        }
        return request;
    }

    private static AlterPartitionRequest.PartitionData withPresent(
            AlterPartitionRequest.PartitionData data, PartitionPlan present, ClusterView view) {
        List<AlterPartitionRequest.BrokerState> members = new ArrayList<>(data.newIsrWithEpochs());
        members.removeIf(member -> member.brokerId() == present.leader());
        members.add(
                new AlterPartitionRequest.BrokerState(
                        present.leader(), view.brokerEpoch(present.leader())));
        return new AlterPartitionRequest.PartitionData(
                data.partitionIndex(),
                present.leaderEpoch(),
                List.of(),
                members,
                data.leaderRecoveryState(),
                present.change());
    }
}
