package io.sluice.kafka.api.topics;

import io.sluice.controller.TopicNames;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.data.DataErrors;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DeleteRecordsRequest;
import io.sluice.kafka.wire.message.DeleteRecordsRequest.DeleteRecordsPartition;
import io.sluice.kafka.wire.message.DeleteRecordsRequest.DeleteRecordsTopic;
import io.sluice.kafka.wire.message.DeleteRecordsResponse;
import io.sluice.kafka.wire.message.DeleteRecordsResponse.DeleteRecordsPartitionResult;
import io.sluice.kafka.wire.message.DeleteRecordsResponse.DeleteRecordsTopicResult;
import io.sluice.partition.DeleteOutcome;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// DeleteRecords: moves the start of a partition, before retention would.
public final class DeleteRecordsHandler implements Handler<DeleteRecordsRequest> {
    private static final long ALL = -1;

    private final PartitionDirectory partitions;

    public DeleteRecordsHandler(PartitionDirectory partitions) {
        this.partitions = partitions;
    }

    @Override
    public Reply<DeleteRecordsResponse> handle(
            DeleteRecordsRequest request, RequestContext context) {
        Map<String, Map<Integer, Long>> before = new LinkedHashMap<>();
        for (DeleteRecordsTopic topic : request.topics()) {
            for (DeleteRecordsPartition asked : topic.partitions()) {
                // Of a partition that is named twice the last word counts, as with Apache Kafka.
                before.computeIfAbsent(topic.name(), _ -> new LinkedHashMap<>())
                        .put(asked.partitionIndex(), asked.offset());
            }
        }
        List<Reply<DeleteRecordsTopicResult>> topics = new ArrayList<>();
        before.forEach(
                (topic, offsets) -> {
                    List<Reply<DeleteRecordsPartitionResult>> results = new ArrayList<>();
                    offsets.forEach(
                            (index, offset) ->
                                    results.add(
                                            delete(
                                                    new PartitionId(topic, index),
                                                    offset,
                                                    context)));
                    topics.add(
                            Reply.all(results)
                                    .map(all -> new DeleteRecordsTopicResult(topic, all)));
                });
        return Reply.all(topics).map(all -> DeleteRecordsResponse.builder().topics(all).build());
    }

    private Reply<DeleteRecordsPartitionResult> delete(
            PartitionId id, long before, RequestContext context) {
        if (TopicNames.isInternal(id.topic())) {
            return Reply.of(failed(id, ErrorCode.INVALID_TOPIC_EXCEPTION));
        }
        Partition partition = partitions.find(id);
        if (partition == null) {
            return Reply.of(failed(id, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
        }
        Reply<DeleteOutcome> deleted =
                before == ALL
                        ? partition.deleteAll(context.home())
                        : partition.deleteBefore(before, context.home());
        return deleted.map(
                outcome ->
                        switch (outcome) {
                            case DeleteOutcome.Deleted(long startOffset) ->
                                    new DeleteRecordsPartitionResult(
                                            id.index(), startOffset, ErrorCode.NONE.id());
                            case DeleteOutcome.OutOfRange _ ->
                                    failed(id, ErrorCode.OFFSET_OUT_OF_RANGE);
                            case DeleteOutcome.Failed(var why, _) ->
                                    failed(id, DataErrors.codeOf(why));
                        });
    }

    private static DeleteRecordsPartitionResult failed(PartitionId id, ErrorCode code) {
        return new DeleteRecordsPartitionResult(id.index(), -1, code.id());
    }
}
