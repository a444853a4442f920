package io.sluice.kafka.api.cluster;

import io.sluice.controller.Controller;
import io.sluice.controller.InSyncAnswer;
import io.sluice.controller.InSyncChange;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterPartitionRequest;
import io.sluice.kafka.wire.message.AlterPartitionResponse;
import io.sluice.kafka.wire.message.AlterPartitionResponse.PartitionData;
import io.sluice.kafka.wire.message.AlterPartitionResponse.TopicData;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// AlterPartition, from leader to controller: another in-sync set. Whoever is not a broker of this cluster is refused by its broker epoch.
public final class AlterPartitionHandler implements Handler<AlterPartitionRequest> {
    private static final short WITH_EPOCHS = 3;
    private static final long UNKNOWN_EPOCH = -1;

    private final Controller controller;

    public AlterPartitionHandler(Controller controller) {
        this.controller = controller;
    }

    @Override
    public Reply<AlterPartitionResponse> handle(
            AlterPartitionRequest request, RequestContext context) {
        List<InSyncChange> changes = new ArrayList<>();
        for (AlterPartitionRequest.TopicData topic : request.topics()) {
            for (AlterPartitionRequest.PartitionData partition : topic.partitions()) {
                changes.add(
                        new InSyncChange(
                                topic.topicId(),
                                partition.partitionIndex(),
                                partition.leaderEpoch(),
                                partition.partitionEpoch(),
                                members(partition, context.version())));
            }
        }
        return controller
                .alterInSync(request.brokerId(), request.brokerEpoch(), changes, context.home())
                .map(answers -> respond(request, answers));
    }

    private static SortedMap<Integer, Long> members(
            AlterPartitionRequest.PartitionData partition, short version) {
        SortedMap<Integer, Long> members = new TreeMap<>();
        if (version >= WITH_EPOCHS) {
            partition
                    .newIsrWithEpochs()
                    .forEach(member -> members.put(member.brokerId(), member.brokerEpoch()));
        } else {
            partition.newIsr().forEach(member -> members.put(member, UNKNOWN_EPOCH));
        }
        return members;
    }

    private static AlterPartitionResponse respond(
            AlterPartitionRequest request, List<InSyncAnswer> answers) {
        List<TopicData> topics = new ArrayList<>(request.topics().size());
        ErrorCode whole = ErrorCode.NONE;
        int next = 0;
        for (AlterPartitionRequest.TopicData topic : request.topics()) {
            List<PartitionData> partitions = new ArrayList<>(topic.partitions().size());
            for (AlterPartitionRequest.PartitionData partition : topic.partitions()) {
                InSyncAnswer answer = answers.get(next++);
                if (answer instanceof InSyncAnswer.Refused(var flaw, _) && isAboutTheAsker(flaw)) {
                    whole = codeOf(flaw);
                }
                partitions.add(describe(partition.partitionIndex(), answer));
            }
            topics.add(new TopicData(topic.topicId(), partitions));
        }
        return whole == ErrorCode.NONE
                ? AlterPartitionResponse.builder().topics(topics).build()
                : AlterPartitionResponse.builder().errorCode(whole.id()).build();
    }

    private static boolean isAboutTheAsker(InSyncAnswer.Flaw flaw) {
        return flaw == InSyncAnswer.Flaw.NOT_CONTROLLER
                || flaw == InSyncAnswer.Flaw.STALE_BROKER_EPOCH;
    }

    private static PartitionData describe(int index, InSyncAnswer answer) {
        return switch (answer) {
            case InSyncAnswer.Accepted(int leader, int epoch, var inSync, int change) ->
                    PartitionData.builder()
                            .partitionIndex(index)
                            .leaderId(leader)
                            .leaderEpoch(epoch)
                            .isr(inSync)
                            .partitionEpoch(change)
                            .build();
            case InSyncAnswer.Refused(var flaw, _) ->
                    PartitionData.builder()
                            .partitionIndex(index)
                            .errorCode(codeOf(flaw).id())
                            .build();
        };
    }

    private static ErrorCode codeOf(InSyncAnswer.Flaw flaw) {
        return switch (flaw) {
            case NOT_CONTROLLER -> ErrorCode.NOT_CONTROLLER;
            case STALE_BROKER_EPOCH -> ErrorCode.STALE_BROKER_EPOCH;
            case UNKNOWN_PARTITION -> ErrorCode.UNKNOWN_TOPIC_ID;
            case FENCED_LEADER_EPOCH -> ErrorCode.FENCED_LEADER_EPOCH;
            case STALE_CHANGE -> ErrorCode.INVALID_UPDATE_VERSION;
            case BEHIND -> ErrorCode.UNKNOWN_LEADER_EPOCH;
            case INELIGIBLE_REPLICA -> ErrorCode.INELIGIBLE_REPLICA;
            case INVALID -> ErrorCode.INVALID_REQUEST;
            case STORE_FAILED -> ErrorCode.KAFKA_STORAGE_ERROR;
        };
    }
}
