package io.sluice.kafka.api.data;

import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.ListOffsetsRequest;
import io.sluice.kafka.wire.message.ListOffsetsRequest.ListOffsetsPartition;
import io.sluice.kafka.wire.message.ListOffsetsRequest.ListOffsetsTopic;
import io.sluice.kafka.wire.message.ListOffsetsResponse;
import io.sluice.kafka.wire.message.ListOffsetsResponse.ListOffsetsPartitionResponse;
import io.sluice.kafka.wire.message.ListOffsetsResponse.ListOffsetsTopicResponse;
import io.sluice.partition.Lookup;
import io.sluice.partition.OffsetAndTime;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.PartitionStatus;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// ListOffsets: the first, the last, the newest, or the first at or after a time (Q4).
public final class ListOffsetsHandler implements Handler<ListOffsetsRequest> {
    private static final long LATEST = -1;
    private static final long EARLIEST = -2;
    private static final long MAX_TIMESTAMP = -3;
    private static final long EARLIEST_LOCAL = -4;
    private static final long LATEST_TIERED = -5;
    private static final long EARLIEST_PENDING_UPLOAD = -6;

    /// Older versions have no place for an epoch in their answer (KIP-320), and librdkafka asks in version 2.
    private static final short FIRST_WITH_EPOCH = 4;

    private static final int NO_EPOCH = -1;

    private final PartitionDirectory partitions;

    public ListOffsetsHandler(PartitionDirectory partitions) {
        this.partitions = partitions;
    }

    @Override
    public Reply<ListOffsetsResponse> handle(ListOffsetsRequest request, RequestContext context) {
        Map<String, Map<Integer, ListOffsetsPartition>> wanted = new LinkedHashMap<>();
        Set<PartitionId> repeated = new HashSet<>();
        for (ListOffsetsTopic topic : request.topics()) {
            Map<Integer, ListOffsetsPartition> ofTopic =
                    wanted.computeIfAbsent(topic.name(), _ -> new LinkedHashMap<>());
            for (ListOffsetsPartition asked : topic.partitions()) {
                if (ofTopic.put(asked.partitionIndex(), asked) != null) {
                    repeated.add(new PartitionId(topic.name(), asked.partitionIndex()));
                }
            }
        }
        List<Reply<ListOffsetsTopicResponse>> topics = new ArrayList<>();
        wanted.forEach(
                (topic, ofTopic) -> {
                    List<Reply<ListOffsetsPartitionResponse>> offsets = new ArrayList<>();
                    for (ListOffsetsPartition asked : ofTopic.values()) {
                        PartitionId id = new PartitionId(topic, asked.partitionIndex());
                        offsets.add(
                                repeated.contains(id)
                                        ? Reply.of(failed(id.index(), ErrorCode.INVALID_REQUEST))
                                        : find(id, asked, context));
                    }
                    topics.add(
                            Reply.all(offsets)
                                    .map(all -> new ListOffsetsTopicResponse(topic, all)));
                });
        return Reply.all(topics).map(all -> ListOffsetsResponse.builder().topics(all).build());
    }

    private Reply<ListOffsetsPartitionResponse> find(
            PartitionId id, ListOffsetsPartition asked, RequestContext context) {
        int index = id.index();
        Partition partition = partitions.find(id);
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
        if (asksForWhatIsNew(asked.timestamp()) && partition.isInDoubt()) {
            return Reply.of(failed(index, ErrorCode.NOT_LEADER_OR_FOLLOWER));
        }
        if (asked.timestamp() == LATEST_TIERED || asked.timestamp() == EARLIEST_PENDING_UPLOAD) {
            return Reply.of(ListOffsetsPartitionResponse.builder().partitionIndex(index).build());
        }
        if (asked.timestamp() == MAX_TIMESTAMP || asked.timestamp() >= 0) {
            Reply<Lookup<OffsetAndTime>> found =
                    asked.timestamp() == MAX_TIMESTAMP
                            ? partition.newest(context.home())
                            : partition.firstAtOrAfter(asked.timestamp(), context.home());
            return found.map(lookup -> byTime(index, lookup, context));
        }
        return partition
                .leaderStatus(context.home())
                .map(
                        lookup ->
                                atEdge(
                                        index,
                                        asked.timestamp(),
                                        epochFor(context, partition.leaderEpoch()),
                                        lookup));
    }

    /// Where another broker may lead by now, it alone knows the answer. The beginning is what it was, or has been deleted.
    private static boolean asksForWhatIsNew(long timestamp) {
        return timestamp == LATEST || timestamp == MAX_TIMESTAMP || timestamp >= 0;
    }

    private static int epochFor(RequestContext context, int leaderEpoch) {
        return context.version() < FIRST_WITH_EPOCH ? NO_EPOCH : leaderEpoch;
    }

    private static ListOffsetsPartitionResponse byTime(
            int index, Lookup<OffsetAndTime> lookup, RequestContext context) {
        return switch (lookup) {
            case Lookup.Failed(var why, _) -> failed(index, DataErrors.codeOf(why));
            case Lookup.Found(OffsetAndTime at) ->
                    ListOffsetsPartitionResponse.builder()
                            .partitionIndex(index)
                            .offset(at.offset())
                            .timestamp(at.timestamp())
                            .leaderEpoch(epochFor(context, at.leaderEpoch()))
                            .build();
        };
    }

    private static ListOffsetsPartitionResponse atEdge(
            int index, long which, int leaderEpoch, Lookup<PartitionStatus> lookup) {
        return switch (lookup) {
            case Lookup.Failed(var why, _) -> failed(index, DataErrors.codeOf(why));
            case Lookup.Found(PartitionStatus status) -> {
                if (which != LATEST && which != EARLIEST && which != EARLIEST_LOCAL) {
                    yield failed(index, ErrorCode.INVALID_REQUEST);
                }
                yield ListOffsetsPartitionResponse.builder()
                        .partitionIndex(index)
                        .offset(which == LATEST ? status.highWatermark() : status.startOffset())
                        .leaderEpoch(leaderEpoch)
                        .build();
            }
        };
    }

    private static ListOffsetsPartitionResponse failed(int index, ErrorCode code) {
        return ListOffsetsPartitionResponse.builder()
                .partitionIndex(index)
                .errorCode(code.id())
                .build();
    }
}
