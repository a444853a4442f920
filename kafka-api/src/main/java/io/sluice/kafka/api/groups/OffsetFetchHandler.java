package io.sluice.kafka.api.groups;

import io.sluice.controller.ClusterView;
import io.sluice.controller.TopicPlan;
import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.Repeated;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.message.OffsetFetchRequest;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestTopic;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import io.sluice.kafka.wire.message.OffsetFetchResponse;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// OffsetFetch: where groups have come to, for some partitions or for all (Q20).
///
/// A commit may have kilobytes of metadata, so that what is named twice is answered once.
public final class OffsetFetchHandler implements Handler<OffsetFetchRequest> {
    private static final short SEVERAL_GROUPS = 8;
    private static final short BY_TOPIC_ID = 10;

    private final GroupCoordinators coordinators;
    private final Supplier<ClusterView> cluster;

    public OffsetFetchHandler(GroupCoordinators coordinators, Supplier<ClusterView> cluster) {
        this.coordinators = coordinators;
        this.cluster = cluster;
    }

    @Override
    public Reply<OffsetFetchResponse> handle(OffsetFetchRequest request, RequestContext context) {
        if (context.version() < SEVERAL_GROUPS) {
            List<PartitionId> wanted = wanted(request.topics());
            return fetch(request.groupId(), wanted, context)
                    .map(outcome -> OffsetFetchAnswer.single(outcome, wanted, context.version()));
        }
        ClusterView view = cluster.get();
        boolean byId = context.version() >= BY_TOPIC_ID;
        List<Reply<OffsetFetchResponse.OffsetFetchResponseGroup>> groups = new ArrayList<>();
        Set<String> repeated =
                Repeated.among(
                        request.groups().stream().map(OffsetFetchRequestGroup::groupId).toList());
        for (String group : repeated) {
            groups.add(Reply.of(OffsetFetchAnswer.repeated(group)));
        }
        for (OffsetFetchRequestGroup group : request.groups()) {
            if (repeated.contains(group.groupId())) {
                continue;
            }
            groups.add(
                    fetch(group.groupId(), wanted(group.topics(), byId, view), context)
                            .map(outcome -> OffsetFetchAnswer.group(group, outcome, byId, view)));
        }
        return Reply.all(groups).map(all -> OffsetFetchResponse.builder().groups(all).build());
    }

    private Reply<Outcome<GroupReply.Offsets>> fetch(
            String group, @Nullable List<PartitionId> partitions, RequestContext context) {
        return coordinators.submit(
                group, new GroupCommand.FetchOffsets(group, partitions), context.home());
    }

    private static @Nullable List<PartitionId> wanted(
            @Nullable List<OffsetFetchRequestTopic> topics) {
        if (topics == null) {
            return null;
        }
        Set<PartitionId> wanted = new LinkedHashSet<>();
        for (OffsetFetchRequestTopic topic : topics) {
            for (int partition : topic.partitionIndexes()) {
                wanted.add(new PartitionId(topic.name(), partition));
            }
        }
        return List.copyOf(wanted);
    }

    private static @Nullable List<PartitionId> wanted(
            @Nullable List<OffsetFetchRequestTopics> topics, boolean byId, ClusterView view) {
        if (topics == null) {
            return null;
        }
        Set<PartitionId> wanted = new LinkedHashSet<>();
        for (OffsetFetchRequestTopics topic : topics) {
            TopicPlan plan = byId ? view.findTopic(topic.topicId()) : null;
            String name = byId ? (plan == null ? null : plan.name()) : topic.name();
            if (name != null) {
                for (int partition : topic.partitionIndexes()) {
                    wanted.add(new PartitionId(name, partition));
                }
            }
        }
        return List.copyOf(wanted);
    }
}
