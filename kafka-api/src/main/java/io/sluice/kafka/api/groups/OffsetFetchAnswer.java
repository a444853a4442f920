package io.sluice.kafka.api.groups;

import io.sluice.controller.ClusterView;
import io.sluice.controller.TopicPlan;
import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.groups.CommittedOffset;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.WireMessage;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import io.sluice.kafka.wire.message.OffsetFetchResponse;
import io.sluice.kafka.wire.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import io.sluice.kafka.wire.message.OffsetFetchResponse.OffsetFetchResponsePartition;
import io.sluice.kafka.wire.message.OffsetFetchResponse.OffsetFetchResponsePartitions;
import io.sluice.kafka.wire.message.OffsetFetchResponse.OffsetFetchResponseTopic;
import io.sluice.kafka.wire.message.OffsetFetchResponse.OffsetFetchResponseTopics;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Puts committed offsets into the two shapes that OffsetFetch has had.
final class OffsetFetchAnswer {
    private static final long NO_OFFSET = -1;
    private static final int NO_EPOCH = -1;

    private OffsetFetchAnswer() {}

    /// Versions 1 to 7: one group. Version 1 has no place for an error of the group, so each partition carries it.
    static OffsetFetchResponse single(
            Outcome<GroupReply.Offsets> outcome,
            @Nullable List<PartitionId> wanted,
            short version) {
        ErrorCode error = outcome.fold(_ -> ErrorCode.NONE, GroupErrors::codeOf);
        Map<String, List<OffsetFetchResponsePartition>> byTopic = new LinkedHashMap<>();
        List<GroupReply.FetchedOffset> offsets =
                outcome.fold(GroupReply.Offsets::partitions, _ -> nothing(wanted));
        for (GroupReply.FetchedOffset fetched : offsets) {
            CommittedOffset committed = fetched.committed();
            byTopic.computeIfAbsent(fetched.partition().topic(), _ -> new ArrayList<>())
                    .add(
                            new OffsetFetchResponsePartition(
                                    fetched.partition().index(),
                                    committed == null ? NO_OFFSET : committed.offset(),
                                    epochOf(committed),
                                    committed == null ? "" : committed.metadata(),
                                    error.id()));
        }
        List<OffsetFetchResponseTopic> topics = new ArrayList<>();
        byTopic.forEach(
                (name, partitions) -> topics.add(new OffsetFetchResponseTopic(name, partitions)));
        OffsetFetchResponse.Builder response = OffsetFetchResponse.builder().topics(topics);
        return version >= 2 ? response.errorCode(error.id()).build() : response.build();
    }

    /// Version 8 and later: several groups.
    static OffsetFetchResponseGroup group(
            OffsetFetchRequestGroup asked,
            Outcome<GroupReply.Offsets> outcome,
            boolean byId,
            ClusterView view) {
        Map<String, List<OffsetFetchResponsePartitions>> byTopic = new LinkedHashMap<>();
        for (GroupReply.FetchedOffset fetched : offsetsOf(outcome)) {
            CommittedOffset committed = byId ? ofSameTopic(fetched, view) : fetched.committed();
            byTopic.computeIfAbsent(fetched.partition().topic(), _ -> new ArrayList<>())
                    .add(
                            new OffsetFetchResponsePartitions(
                                    fetched.partition().index(),
                                    committed == null ? NO_OFFSET : committed.offset(),
                                    epochOf(committed),
                                    committed == null ? "" : committed.metadata(),
                                    ErrorCode.NONE.id()));
        }
        List<OffsetFetchResponseTopics> topics = new ArrayList<>();
        byTopic.forEach(
                (name, partitions) -> {
                    TopicPlan plan = view.findTopic(name);
                    if (!byId || plan != null) {
                        topics.add(
                                new OffsetFetchResponseTopics(
                                        name,
                                        plan == null ? WireMessage.ZERO_UUID : plan.id(),
                                        partitions));
                    }
                });
        if (byId && asked.topics() != null) {
            addUnknown(asked.topics(), view, topics);
        }
        return OffsetFetchResponseGroup.builder()
                .groupId(asked.groupId())
                .topics(topics)
                .errorCode(outcome.fold(_ -> ErrorCode.NONE, GroupErrors::codeOf).id())
                .build();
    }

    /// Which of them is meant nobody can tell.
    static OffsetFetchResponseGroup repeated(String group) {
        return OffsetFetchResponseGroup.builder()
                .groupId(group)
                .errorCode(ErrorCode.INVALID_REQUEST.id())
                .build();
    }

    private static void addUnknown(
            List<OffsetFetchRequestTopics> asked,
            ClusterView view,
            List<OffsetFetchResponseTopics> topics) {
        for (OffsetFetchRequestTopics topic : asked) {
            if (view.findTopic(topic.topicId()) != null) {
                continue;
            }
            List<OffsetFetchResponsePartitions> partitions = new ArrayList<>();
            for (int index : topic.partitionIndexes()) {
                partitions.add(
                        new OffsetFetchResponsePartitions(
                                index, NO_OFFSET, NO_EPOCH, "", ErrorCode.UNKNOWN_TOPIC_ID.id()));
            }
            topics.add(new OffsetFetchResponseTopics("", topic.topicId(), partitions));
        }
    }

    /// An offset that was committed under the id of an earlier topic of the same name says nothing about this one.
    private static @Nullable CommittedOffset ofSameTopic(
            GroupReply.FetchedOffset fetched, ClusterView view) {
        CommittedOffset committed = fetched.committed();
        TopicPlan plan = view.findTopic(fetched.partition().topic());
        UUID id = committed == null ? null : committed.topicId();
        return plan == null || id == null || id.equals(plan.id()) ? committed : null;
    }

    private static List<GroupReply.FetchedOffset> nothing(@Nullable List<PartitionId> wanted) {
        List<GroupReply.FetchedOffset> nothing = new ArrayList<>();
        for (PartitionId partition : wanted == null ? List.<PartitionId>of() : wanted) {
            nothing.add(new GroupReply.FetchedOffset(partition, null));
        }
        return nothing;
    }

    private static List<GroupReply.FetchedOffset> offsetsOf(Outcome<GroupReply.Offsets> outcome) {
        return outcome.fold(GroupReply.Offsets::partitions, _ -> List.of());
    }

    private static int epochOf(@Nullable CommittedOffset committed) {
        return committed == null ? NO_EPOCH : committed.leaderEpoch();
    }
}
