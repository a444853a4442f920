package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.ElectionKind;
import io.sluice.controller.PartitionAnswer;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.ElectLeadersRequest;
import io.sluice.kafka.wire.message.ElectLeadersRequest.TopicPartitions;
import io.sluice.kafka.wire.message.ElectLeadersResponse;
import io.sluice.kafka.wire.message.ElectLeadersResponse.PartitionResult;
import io.sluice.kafka.wire.message.ElectLeadersResponse.ReplicaElectionResult;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// ElectLeaders: the preferred leader back in office, or, where nobody else is left, one that lacks committed records (KIP-460).
public final class ElectLeadersHandler implements Handler<ElectLeadersRequest> {
    private static final byte PREFERRED = 0;
    private static final byte UNCLEAN = 1;

    private final Controller controller;

    public ElectLeadersHandler(Controller controller) {
        this.controller = controller;
    }

    @Override
    public Reply<ElectLeadersResponse> handle(ElectLeadersRequest request, RequestContext context) {
        if (!controller.isActive()) {
            return refuse(ErrorCode.NOT_CONTROLLER);
        }
        if (request.electionType() != PREFERRED && request.electionType() != UNCLEAN) {
            return refuse(ErrorCode.INVALID_REQUEST);
        }
        ElectionKind kind =
                request.electionType() == UNCLEAN ? ElectionKind.UNCLEAN : ElectionKind.PREFERRED;
        return controller
                .electLeaders(kind, partitions(request), context.home())
                .map(ElectLeadersHandler::respond);
    }

    private static @Nullable List<PartitionId> partitions(ElectLeadersRequest request) {
        List<TopicPartitions> asked = request.topicPartitions();
        if (asked == null) {
            return null;
        }
        Set<PartitionId> partitions = new LinkedHashSet<>();
        for (TopicPartitions topic : asked) {
            topic.partitions()
                    .forEach(index -> partitions.add(new PartitionId(topic.topic(), index)));
        }
        return List.copyOf(partitions);
    }

    private static ElectLeadersResponse respond(List<PartitionAnswer> answers) {
        Map<String, List<PartitionResult>> byTopic = new TreeMap<>();
        for (PartitionAnswer answer : answers) {
            var refused = answer.refused();
            byTopic.computeIfAbsent(answer.partition().topic(), _ -> new ArrayList<>())
                    .add(
                            new PartitionResult(
                                    answer.partition().index(),
                                    refused == null
                                            ? ErrorCode.NONE.id()
                                            : TopicErrors.codeOf(refused.reason()).id(),
                                    refused == null ? null : refused.sentence()));
        }
        List<ReplicaElectionResult> results = new ArrayList<>(byTopic.size());
        byTopic.forEach(
                (topic, partitions) -> results.add(new ReplicaElectionResult(topic, partitions)));
        return ElectLeadersResponse.builder().replicaElectionResults(results).build();
    }

    private static Reply<ElectLeadersResponse> refuse(ErrorCode code) {
        return Reply.of(ElectLeadersResponse.builder().errorCode(code.id()).build());
    }
}
