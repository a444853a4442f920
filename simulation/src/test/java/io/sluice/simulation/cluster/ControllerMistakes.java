package io.sluice.simulation.cluster;

import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handlers;
import io.sluice.kafka.wire.message.AlterPartitionRequest;
import io.sluice.kafka.wire.message.AlterPartitionResponse;
import io.sluice.node.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Mistakes of history at the controller: put in front of what it is asked.
final class ControllerMistakes {
    private ControllerMistakes() {}

    /// What is so already is granted, and called a change, and none is written: what the leader asked for before can be taken in yet.
    static Handlers grantsWithoutAChange(Handlers handlers, Node node) {
        return (request, context) -> {
            AlterPartitionResponse granted =
                    request instanceof AlterPartitionRequest alter ? soAlready(alter, node) : null;
            return granted == null ? handlers.handle(request, context) : Reply.of(granted);
        };
    }

    /// Of a request for one partition; null when something is to be changed.
    private static @Nullable AlterPartitionResponse soAlready(
            AlterPartitionRequest request, Node node) {
        AlterPartitionRequest.TopicData topic = request.topics().getFirst();
        AlterPartitionRequest.PartitionData data = topic.partitions().getFirst();
        TopicPlan plan = node.controller().view().findTopic(topic.topicId());
        PartitionPlan present = plan == null ? null : plan.partitions().get(data.partitionIndex());
        Set<Integer> asked = new HashSet<>();
        data.newIsrWithEpochs().forEach(member -> asked.add(member.brokerId()));
        if (present == null
                || present.leader() != request.brokerId()
                || present.change() != data.partitionEpoch()
                || !asked.equals(new HashSet<>(present.inSync()))) {
            return null;
        }
        AlterPartitionResponse.PartitionData answer =
                AlterPartitionResponse.PartitionData.builder()
                        .partitionIndex(data.partitionIndex())
                        .leaderId(present.leader())
                        .leaderEpoch(present.leaderEpoch())
                        .isr(present.inSync())
                        .partitionEpoch(present.change() + 1)
                        .build();
        return AlterPartitionResponse.builder()
                .topics(
                        List.of(
                                new AlterPartitionResponse.TopicData(
                                        topic.topicId(), List.of(answer))))
                .build();
    }

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
