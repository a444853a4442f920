package io.sluice.kafka.api.cluster;

import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.OwnPlace;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsRequest;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsRequest.TopicRequest;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsResponse;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsResponse.Cursor;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition;
import io.sluice.kafka.wire.message.DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// DescribeTopicPartitions (KIP-966): topics page by page, so that very many partitions need no giant answer.
public final class DescribeTopicPartitionsHandler
        implements Handler<DescribeTopicPartitionsRequest> {
    private static final int PAGE_MAX = 2_000;

    private final Controller controller;
    private final OwnPlace place;

    public DescribeTopicPartitionsHandler(Controller controller, OwnPlace place) {
        this.controller = controller;
        this.place = place;
    }

    @Override
    public Reply<DescribeTopicPartitionsResponse> handle(
            DescribeTopicPartitionsRequest request, RequestContext context) {
        ClusterView view = controller.view();
        String fromTopic = request.cursor() == null ? "" : request.cursor().topicName();
        int fromPartition = request.cursor() == null ? 0 : request.cursor().partitionIndex();
        int room = Math.clamp(request.responsePartitionLimit(), 1, PAGE_MAX);
        List<DescribeTopicPartitionsResponseTopic> topics = new ArrayList<>();
        Cursor next = null;
        for (String name : names(request, view, fromTopic)) {
            if (room == 0) {
                next = new Cursor(name, 0);
                break;
            }
            TopicPlan plan = view.findTopic(name);
            if (plan == null) {
                topics.add(unknown(name));
                continue;
            }
            int count = plan.partitions().size();
            int from = name.equals(fromTopic) ? Math.clamp(fromPartition, 0, count) : 0;
            int to = Math.min(count, from + room);
            topics.add(describe(plan, from, to, view, context));
            room -= to - from;
            if (to < count) {
                next = new Cursor(name, to);
                break;
            }
        }
        return Reply.of(respond(topics, next));
    }

    private static Iterable<String> names(
            DescribeTopicPartitionsRequest request, ClusterView view, String from) {
        TreeSet<String> names = new TreeSet<>();
        if (request.topics().isEmpty()) {
            for (TopicPlan plan : view.topicsFrom(from)) {
                names.add(plan.name());
            }
        } else {
            for (TopicRequest topic : request.topics()) {
                names.add(topic.name());
            }
        }
        return names.tailSet(from, true);
    }

    private DescribeTopicPartitionsResponseTopic describe(
            TopicPlan plan, int from, int to, ClusterView view, RequestContext context) {
        List<DescribeTopicPartitionsResponsePartition> partitions = new ArrayList<>();
        for (int index = from; index < to; index++) {
            PartitionPlan partition = plan.partitions().get(index);
            int leader = partition.leader();
            boolean led = view.isLive(leader) && place.mayName(leader, context);
            partitions.add(
                    DescribeTopicPartitionsResponsePartition.builder()
                            .errorCode((led ? ErrorCode.NONE : ErrorCode.LEADER_NOT_AVAILABLE).id())
                            .partitionIndex(index)
                            .leaderId(led ? leader : PartitionPlan.NONE)
                            .leaderEpoch(partition.leaderEpoch())
                            .replicaNodes(partition.replicas())
                            .isrNodes(partition.inSync())
                            .eligibleLeaderReplicas(partition.eligible())
                            .lastKnownElr(List.of())
                            .offlineReplicas(Offline.of(partition, view))
                            .build());
        }
        return DescribeTopicPartitionsResponseTopic.builder()
                .name(plan.name())
                .topicId(plan.id())
                .isInternal(plan.isInternal())
                .partitions(partitions)
                .build();
    }

    private static DescribeTopicPartitionsResponseTopic unknown(String name) {
        return DescribeTopicPartitionsResponseTopic.builder()
                .errorCode(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.id())
                .name(name)
                .build();
    }

    private static DescribeTopicPartitionsResponse respond(
            List<DescribeTopicPartitionsResponseTopic> topics, @Nullable Cursor next) {
        return DescribeTopicPartitionsResponse.builder().topics(topics).nextCursor(next).build();
    }
}
