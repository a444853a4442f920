package io.sluice.kafka.api.topics;

import io.sluice.controller.Controller;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Disk;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.message.DescribeLogDirsRequest;
import io.sluice.kafka.wire.message.DescribeLogDirsRequest.DescribableLogDirTopic;
import io.sluice.kafka.wire.message.DescribeLogDirsResponse;
import io.sluice.kafka.wire.message.DescribeLogDirsResponse.DescribeLogDirsPartition;
import io.sluice.kafka.wire.message.DescribeLogDirsResponse.DescribeLogDirsResult;
import io.sluice.kafka.wire.message.DescribeLogDirsResponse.DescribeLogDirsTopic;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.PartitionStatus;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// DescribeLogDirs: what each partition takes on the disk and lacks of what is committed, and how much room is left.
public final class DescribeLogDirsHandler implements Handler<DescribeLogDirsRequest> {
    private final Controller controller;
    private final PartitionDirectory partitions;
    private final Disk disk;
    private final String path;

    /// @param path of the data directory, as an operator knows it
    public DescribeLogDirsHandler(
            Controller controller, PartitionDirectory partitions, Disk disk, String path) {
        this.controller = controller;
        this.partitions = partitions;
        this.disk = disk;
        this.path = path;
    }

    @Override
    public Reply<DescribeLogDirsResponse> handle(
            DescribeLogDirsRequest request, RequestContext context) {
        List<Reply<DescribeLogDirsTopic>> topics = new ArrayList<>();
        for (Map.Entry<String, Set<Integer>> topic : wanted(request).entrySet()) {
            List<Reply<DescribeLogDirsPartition>> sizes = new ArrayList<>();
            for (int index : topic.getValue()) {
                Partition partition = partitions.find(new PartitionId(topic.getKey(), index));
                if (partition != null) {
                    sizes.add(
                            partition
                                    .status(context.home())
                                    .map(status -> describe(index, status)));
                }
            }
            topics.add(Reply.all(sizes).map(all -> new DescribeLogDirsTopic(topic.getKey(), all)));
        }
        return Reply.all(topics).map(this::respond);
    }

    private Map<String, Set<Integer>> wanted(DescribeLogDirsRequest request) {
        Map<String, Set<Integer>> wanted = new TreeMap<>();
        List<DescribableLogDirTopic> asked = request.topics();
        if (asked != null) {
            for (DescribableLogDirTopic topic : asked) {
                wanted.computeIfAbsent(topic.topic(), _ -> new TreeSet<>())
                        .addAll(topic.partitions());
            }
            return wanted;
        }
        for (TopicPlan plan : controller.view().topics()) {
            Set<Integer> all = new TreeSet<>();
            for (int index = 0; index < plan.partitions().size(); index++) {
                all.add(index);
            }
            wanted.put(plan.name(), all);
        }
        return wanted;
    }

    private static DescribeLogDirsPartition describe(int index, Lookup<PartitionStatus> lookup) {
        return switch (lookup) {
            case Lookup.Found(PartitionStatus status) ->
                    DescribeLogDirsPartition.builder()
                            .partitionIndex(index)
                            .partitionSize(status.sizeInBytes())
                            .offsetLag(status.lag())
                            .build();
            case Lookup.Failed<PartitionStatus> _ ->
                    DescribeLogDirsPartition.builder()
                            .partitionIndex(index)
                            .partitionSize(-1)
                            .build();
        };
    }

    private DescribeLogDirsResponse respond(List<DescribeLogDirsTopic> topics) {
        return DescribeLogDirsResponse.builder()
                .results(
                        List.of(
                                DescribeLogDirsResult.builder()
                                        .logDir(path)
                                        .topics(topics)
                                        .totalBytes(disk.totalBytes())
                                        .usableBytes(disk.usableBytes())
                                        .build()))
                .build();
    }
}
