package io.sluice.kafka.api.groups;

import io.sluice.kafka.wire.message.OffsetCommitRequest;
import io.sluice.kafka.wire.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import io.sluice.kafka.wire.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import io.sluice.kafka.wire.message.OffsetCommitResponse;
import io.sluice.kafka.wire.message.OffsetFetchRequest;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestTopic;
import io.sluice.kafka.wire.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import io.sluice.kafka.wire.message.OffsetFetchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Commits and fetches offsets of group `g` in topic `t`, in whichever shape a version has.
final class Offsets {
    private static final UUID NO_ID = new UUID(0, 0);

    private final GroupApi api;

    Offsets(GroupApi api) {
        this.api = api;
    }

    OffsetCommitResponse commit(
            String memberId, int generation, int version, int partition, long offset) {
        return commit(
                topic("t", GroupApi.TOPIC_ID, version),
                memberId,
                generation,
                version,
                partition,
                offset);
    }

    OffsetCommitResponse commit(
            OffsetCommitRequestTopic.Builder topic,
            String memberId,
            int generation,
            int version,
            int partition,
            long offset) {
        return api.answer(
                request(topic, memberId, generation, partition, offset),
                version,
                OffsetCommitResponse.class);
    }

    static OffsetCommitRequest request(
            OffsetCommitRequestTopic.Builder topic,
            String memberId,
            int generation,
            int partition,
            long offset) {
        return OffsetCommitRequest.builder()
                .groupId("g")
                .memberId(memberId)
                .generationIdOrMemberEpoch(generation)
                .topics(
                        List.of(
                                topic.partitions(
                                                List.of(
                                                        OffsetCommitRequestPartition.builder()
                                                                .partitionIndex(partition)
                                                                .committedOffset(offset)
                                                                .build()))
                                        .build()))
                .build();
    }

    static OffsetCommitRequestTopic.Builder topic(String name, UUID id, int version) {
        return version >= 10
                ? OffsetCommitRequestTopic.builder().topicId(id)
                : OffsetCommitRequestTopic.builder().name(name);
    }

    OffsetFetchResponse fetch(int version, @Nullable List<Integer> partitions, UUID id) {
        OffsetFetchRequest.Builder request = OffsetFetchRequest.builder();
        if (version < 8) {
            request.groupId("g")
                    .topics(
                            partitions == null
                                    ? null
                                    : List.of(new OffsetFetchRequestTopic("t", partitions)));
        } else {
            boolean byId = version >= 10;
            List<OffsetFetchRequestTopics> topics =
                    partitions == null
                            ? null
                            : List.of(
                                    new OffsetFetchRequestTopics(
                                            byId ? "" : "t", byId ? id : NO_ID, partitions));
            request.groups(
                    List.of(OffsetFetchRequestGroup.builder().groupId("g").topics(topics).build()));
        }
        return api.answer(request.build(), version, OffsetFetchResponse.class);
    }

    long fetch(int version, int partition) {
        return offsets(fetch(version, List.of(partition), GroupApi.TOPIC_ID), version).getFirst();
    }

    List<Long> fetchAll(int version) {
        return offsets(fetch(version, null, GroupApi.TOPIC_ID), version);
    }

    private static List<Long> offsets(OffsetFetchResponse response, int version) {
        List<Long> offsets = new ArrayList<>();
        if (version < 8) {
            response.topics()
                    .forEach(t -> t.partitions().forEach(p -> offsets.add(p.committedOffset())));
        } else {
            response.groups()
                    .forEach(
                            g ->
                                    g.topics()
                                            .forEach(
                                                    t ->
                                                            t.partitions()
                                                                    .forEach(
                                                                            p ->
                                                                                    offsets.add(
                                                                                            p
                                                                                                    .committedOffset()))));
        }
        return offsets;
    }
}
