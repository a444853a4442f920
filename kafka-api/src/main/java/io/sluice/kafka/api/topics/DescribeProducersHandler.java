package io.sluice.kafka.api.topics;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.data.DataErrors;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DescribeProducersRequest;
import io.sluice.kafka.wire.message.DescribeProducersRequest.TopicRequest;
import io.sluice.kafka.wire.message.DescribeProducersResponse;
import io.sluice.kafka.wire.message.DescribeProducersResponse.PartitionResponse;
import io.sluice.kafka.wire.message.DescribeProducersResponse.TopicResponse;
import io.sluice.log.producer.ProducerState;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// DescribeProducers: which idempotent producers a partition remembers.
public final class DescribeProducersHandler implements Handler<DescribeProducersRequest> {
    private final PartitionDirectory partitions;

    public DescribeProducersHandler(PartitionDirectory partitions) {
        this.partitions = partitions;
    }

    @Override
    public Reply<DescribeProducersResponse> handle(
            DescribeProducersRequest request, RequestContext context) {
        // A partition remembers thousands of producers: however often it is named, it tells them
        // once.
        Map<String, Set<Integer>> wanted = new LinkedHashMap<>();
        for (TopicRequest topic : request.topics()) {
            wanted.computeIfAbsent(topic.name(), _ -> new LinkedHashSet<>())
                    .addAll(topic.partitionIndexes());
        }
        List<Reply<TopicResponse>> topics = new ArrayList<>();
        wanted.forEach(
                (topic, indexes) -> {
                    List<Reply<PartitionResponse>> described = new ArrayList<>();
                    for (int index : indexes) {
                        described.add(describe(new PartitionId(topic, index), context));
                    }
                    topics.add(Reply.all(described).map(all -> new TopicResponse(topic, all)));
                });
        return Reply.all(topics)
                .map(all -> DescribeProducersResponse.builder().topics(all).build());
    }

    private Reply<PartitionResponse> describe(PartitionId id, RequestContext context) {
        Partition partition = partitions.find(id);
        if (partition == null) {
            return Reply.of(
                    failed(
                            id,
                            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                            "There is no partition " + id + "."));
        }
        return partition
                .producers(context.home())
                .map(
                        lookup ->
                                switch (lookup) {
                                    case Lookup.Found(var states) ->
                                            PartitionResponse.builder()
                                                    .partitionIndex(id.index())
                                                    .activeProducers(
                                                            states.stream()
                                                                    .map(
                                                                            DescribeProducersHandler
                                                                                    ::describe)
                                                                    .toList())
                                                    .build();
                                    case Lookup.Failed(var why, String sentence) ->
                                            failed(id, DataErrors.codeOf(why), sentence);
                                });
    }

    private static DescribeProducersResponse.ProducerState describe(ProducerState state) {
        return DescribeProducersResponse.ProducerState.builder()
                .producerId(state.producerId())
                .producerEpoch(state.epoch())
                .lastSequence(state.lastSequence())
                .lastTimestamp(state.lastAppendMillis())
                .coordinatorEpoch(-1)
                .build();
    }

    private static PartitionResponse failed(PartitionId id, ErrorCode code, String sentence) {
        return PartitionResponse.builder()
                .partitionIndex(id.index())
                .errorCode(code.id())
                .errorMessage(sentence)
                .build();
    }
}
