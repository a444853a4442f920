package io.sluice.simulation.cluster;

import io.sluice.controller.TopicNames;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Handlers;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.OffsetCommitRequest;
import io.sluice.kafka.wire.message.OffsetCommitResponse;
import io.sluice.kafka.wire.message.OffsetCommitResponse.OffsetCommitResponsePartition;
import io.sluice.kafka.wire.message.OffsetCommitResponse.OffsetCommitResponseTopic;
import io.sluice.node.Node;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionStatus;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Mistakes of history at those who coordinate groups: put between a correct broker's listener and what answers. The ids are those of the catalogue of such bugs.
final class CoordinatorMistakes {
    private CoordinatorMistakes() {}

    /// R8 in its plainest form: a group's coordinator says yes to a commit that its log did not keep.
    static Handlers confirmsWhatWasNotKept(Handlers handlers) {
        return (request, context) -> {
            Reply<? extends ApiResponse> reply = handlers.handle(request, context);
            return reply.map(
                    response ->
                            response instanceof OffsetCommitResponse commit
                                    ? allIsWell(commit)
                                    : response);
        };
    }

    /// R8, KAFKA-20634: a commit that waits is known by its offset alone. When the coordinator's log follows another leader, it goes on to wait, and says yes when the high watermark has come past that offset, whatever stands there by then.
    static Handlers knowsCommitsByTheirOffsetAlone(Handlers handlers, Node node) {
        return (request, context) -> {
            Reply<? extends ApiResponse> reply = handlers.handle(request, context);
            Partition log = node.partitions().find(new PartitionId(TopicNames.OFFSETS, 0));
            if (log == null || !(request instanceof OffsetCommitRequest)) {
                return reply;
            }
            PendingCommit pending = new PendingCommit(log, context.home());
            // Behind the commit itself, which is in the log by then or was refused.
            log.leaderStatus(context.home()).then(pending::appended, _ -> {});
            reply.then(
                    response -> pending.answered((OffsetCommitResponse) response),
                    pending.late::fail);
            return pending.late;
        };
    }

    /// One that the coordinator has taken, until its client is told. Owned by its connection.
    private static final class PendingCommit {
        private static final Duration PAUSE = Duration.ofMillis(5);
        private static final long NOWHERE = -1;

        private final Partition log;
        private final Mailbox home;
        private final Reply<ApiResponse> late = new Reply<>();
        private long end = NOWHERE;

        PendingCommit(Partition log, Mailbox home) {
            this.log = log;
            this.home = home;
        }

        void appended(Lookup<PartitionStatus> where) {
            if (where instanceof Lookup.Found<PartitionStatus>(PartitionStatus status)) {
                end = status.endOffset();
            }
        }

        void answered(OffsetCommitResponse response) {
            if (end != NOWHERE && isOfAFormerTerm(response)) {
                confirmBehind(end, response);
            } else {
                late.complete(response);
            }
        }

        private void confirmBehind(long offset, OffsetCommitResponse response) {
            if (log.highWatermarkSeen() >= offset) {
                late.complete(allIsWell(response));
            } else {
                home.schedule(PAUSE, () -> confirmBehind(offset, response));
            }
        }

        private static boolean isOfAFormerTerm(OffsetCommitResponse response) {
            return response.topics().getFirst().partitions().getFirst().errorCode()
                    == ErrorCode.NOT_COORDINATOR.id();
        }
    }

    private static OffsetCommitResponse allIsWell(OffsetCommitResponse response) {
        List<OffsetCommitResponseTopic> topics = new ArrayList<>();
        for (OffsetCommitResponseTopic topic : response.topics()) {
            List<OffsetCommitResponsePartition> partitions = new ArrayList<>();
            for (OffsetCommitResponsePartition partition : topic.partitions()) {
                partitions.add(
                        new OffsetCommitResponsePartition(partition.partitionIndex(), (short) 0));
            }
            topics.add(new OffsetCommitResponseTopic(topic.name(), topic.topicId(), partitions));
        }
        return new OffsetCommitResponse(response.throttleTimeMs(), topics);
    }
}
