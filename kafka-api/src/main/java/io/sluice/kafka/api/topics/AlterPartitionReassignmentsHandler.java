package io.sluice.kafka.api.topics;

import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.controller.MoveRequest;
import io.sluice.controller.PartitionAnswer;
import io.sluice.controller.PartitionPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest.ReassignablePartition;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsRequest.ReassignableTopic;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsResponse;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsResponse.ReassignablePartitionResponse;
import io.sluice.kafka.wire.message.AlterPartitionReassignmentsResponse.ReassignableTopicResponse;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;

/// AlterPartitionReassignments: moves replicas to other brokers while clients run, or takes a move back (Q27, KIP-455).
public final class AlterPartitionReassignmentsHandler
        implements Handler<AlterPartitionReassignmentsRequest> {
    private final Controller controller;

    public AlterPartitionReassignmentsHandler(Controller controller) {
        this.controller = controller;
    }

    @Override
    public Reply<AlterPartitionReassignmentsResponse> handle(
            AlterPartitionReassignmentsRequest request, RequestContext context) {
        if (!controller.isActive()) {
            return Reply.of(
                    AlterPartitionReassignmentsResponse.builder()
                            .errorCode(ErrorCode.NOT_CONTROLLER.id())
                            .errorMessage("This broker is not the controller.")
                            .build());
        }
        List<MoveRequest> moves = new ArrayList<>();
        List<PartitionId> refused = new ArrayList<>();
        for (ReassignableTopic topic : request.topics()) {
            for (ReassignablePartition partition : topic.partitions()) {
                PartitionId id = new PartitionId(topic.name(), partition.partitionIndex());
                moves.add(new MoveRequest(id, partition.replicas()));
                if (!request.allowReplicationFactorChange() && changesFactor(id, partition)) {
                    refused.add(id);
                }
            }
        }
        if (!refused.isEmpty()) {
            return Reply.of(
                    AlterPartitionReassignmentsResponse.builder()
                            .errorCode(ErrorCode.INVALID_REPLICATION_FACTOR.id())
                            .errorMessage(
                                    "The request does not allow another replication factor, but these would get one: "
                                            + refused)
                            .build());
        }
        return controller.reassign(moves, context.home()).map(all -> respond(request, all));
    }

    private boolean changesFactor(PartitionId id, ReassignablePartition wanted) {
        ClusterView view = controller.view();
        PartitionPlan plan = view.findPartition(id);
        List<Integer> replicas = wanted.replicas();
        return plan != null
                && replicas != null
                && replicas.size() != plan.replicas().size() - plan.adding().size();
    }

    private static AlterPartitionReassignmentsResponse respond(
            AlterPartitionReassignmentsRequest request, List<PartitionAnswer> answers) {
        List<ReassignableTopicResponse> topics = new ArrayList<>();
        int next = 0;
        for (ReassignableTopic topic : request.topics()) {
            List<ReassignablePartitionResponse> partitions = new ArrayList<>();
            for (ReassignablePartition partition : topic.partitions()) {
                var refused = answers.get(next++).refused();
                partitions.add(
                        new ReassignablePartitionResponse(
                                partition.partitionIndex(),
                                refused == null
                                        ? ErrorCode.NONE.id()
                                        : TopicErrors.codeOf(refused.reason()).id(),
                                refused == null ? null : refused.sentence()));
            }
            topics.add(new ReassignableTopicResponse(topic.name(), partitions));
        }
        return AlterPartitionReassignmentsResponse.builder()
                .errorMessage(null)
                .responses(topics)
                .build();
    }
}
