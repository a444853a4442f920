package io.sluice.replication;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.FetchableTopicResponse;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import io.sluice.partition.RepairDoor;
import io.sluice.partition.RepairFetch;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/// Fetches what a damaged replica lacks from a sound one, as a consumer would: committed batches only, in the leader's term that both know.
///
/// Not as a replica: a leader would take the offset for what is safe here, and followers answer no replicas. Thread-safe: crosses to the peers' mailbox.
public final class RepairFetches implements RepairDoor {
    private static final short VERSION = 17;
    private static final int STANDS_ALONE = -1;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Peers peers;

    public RepairFetches(Peers peers) {
        this.peers = peers;
    }

    @Override
    public Reply<ByteBuffer> fetch(RepairFetch wanted, Mailbox home) {
        return peers.ask(wanted.broker(), request(wanted), VERSION, PATIENCE, home)
                .flatMap(RepairFetches::batches);
    }

    private static FetchRequest request(RepairFetch wanted) {
        FetchPartition partition =
                FetchPartition.builder()
                        .partition(wanted.id().index())
                        .currentLeaderEpoch(wanted.leaderEpoch())
                        .fetchOffset(wanted.offset())
                        .partitionMaxBytes(wanted.maxBytes())
                        .build();
        return FetchRequest.builder()
                .maxBytes(wanted.maxBytes())
                .sessionEpoch(STANDS_ALONE)
                .topics(List.of(new FetchTopic("", wanted.topicId(), List.of(partition))))
                .build();
    }

    private static Reply<ByteBuffer> batches(ApiResponse answer) {
        FetchResponse response = (FetchResponse) answer;
        short error = response.errorCode();
        for (FetchableTopicResponse topic : response.responses()) {
            for (PartitionData data : topic.partitions()) {
                if (data.errorCode() == ErrorCode.NONE.id()
                        && data.records() instanceof Records.InMemory(ByteBuffer bytes)
                        && bytes.hasRemaining()) {
                    return Reply.of(bytes);
                }
                error = data.errorCode();
            }
        }
        return Reply.failed(
                new IllegalStateException("it answers " + ErrorCode.find(error) + " and no batch"));
    }
}
