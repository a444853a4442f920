package io.sluice.kafka.api.data;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochResponse;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochResponse.EpochEndOffset;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;

/// OffsetForLeaderEpoch: how a consumer learns that what it read was lost with an old leader (KIP-320).
public final class OffsetForLeaderEpochHandler implements Handler<OffsetForLeaderEpochRequest> {
    private final PartitionDirectory partitions;

    public OffsetForLeaderEpochHandler(PartitionDirectory partitions) {
        this.partitions = partitions;
    }

    @Override
    public Reply<OffsetForLeaderEpochResponse> handle(
            OffsetForLeaderEpochRequest request, RequestContext context) {
        List<Reply<OffsetForLeaderTopicResult>> topics = new ArrayList<>();
        for (OffsetForLeaderTopic topic : request.topics()) {
            List<Reply<EpochEndOffset>> ends = new ArrayList<>();
            for (OffsetForLeaderPartition asked : topic.partitions()) {
                ends.add(endOf(topic.topic(), asked, context));
            }
            topics.add(
                    Reply.all(ends).map(all -> new OffsetForLeaderTopicResult(topic.topic(), all)));
        }
        return Reply.all(topics)
                .map(all -> OffsetForLeaderEpochResponse.builder().topics(all).build());
    }

    private Reply<EpochEndOffset> endOf(
            String topic, OffsetForLeaderPartition asked, RequestContext context) {
        int index = asked.partition();
        Partition partition = partitions.find(new PartitionId(topic, index));
        if (partition == null) {
            return Reply.of(failed(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION));
        }
        ErrorCode fenced = LeaderEpochs.check(asked.currentLeaderEpoch(), partition.leaderEpoch());
        if (fenced != ErrorCode.NONE) {
            return Reply.of(failed(index, fenced));
        }
        if (!partition.isLeaderHere()) {
            return Reply.of(failed(index, ErrorCode.NOT_LEADER_OR_FOLLOWER));
        }
        return partition
                .endOfEpoch(asked.leaderEpoch(), context.home())
                .map(
                        lookup ->
                                switch (lookup) {
                                    case Lookup.Found(var end) ->
                                            EpochEndOffset.builder()
                                                    .partition(index)
                                                    .leaderEpoch(end.epoch())
                                                    .endOffset(end.endOffset())
                                                    .build();
                                    case Lookup.Failed(var why, _) ->
                                            failed(index, DataErrors.codeOf(why));
                                });
    }

    private static EpochEndOffset failed(int partition, ErrorCode code) {
        return EpochEndOffset.builder().partition(partition).errorCode(code.id()).build();
    }
}
