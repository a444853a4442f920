package io.sluice.kafka.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.api.ApiWorld;
import io.sluice.kafka.api.topics.DeleteRecordsHandler;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.DeleteRecordsRequest;
import io.sluice.kafka.wire.message.DeleteRecordsRequest.DeleteRecordsPartition;
import io.sluice.kafka.wire.message.DeleteRecordsRequest.DeleteRecordsTopic;
import io.sluice.kafka.wire.message.DeleteRecordsResponse;
import io.sluice.kafka.wire.message.DeleteRecordsResponse.DeleteRecordsPartitionResult;
import io.sluice.kafka.wire.message.ListOffsetsRequest;
import io.sluice.kafka.wire.message.ListOffsetsRequest.ListOffsetsPartition;
import io.sluice.kafka.wire.message.ListOffsetsRequest.ListOffsetsTopic;
import io.sluice.kafka.wire.message.ListOffsetsResponse;
import io.sluice.kafka.wire.message.ListOffsetsResponse.ListOffsetsPartitionResponse;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochResponse;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochResponse.EpochEndOffset;
import io.sluice.partition.Acks;
import io.sluice.partition.Assignment;
import io.sluice.partition.ManualTime;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where a partition begins, ends, and was at a time (Q4), and giving up its start.
class OffsetsTest {
    private static final long LATEST = -1;
    private static final long EARLIEST = -2;
    private static final long MAX_TIMESTAMP = -3;
    private static final long AT = ManualTime.START_MILLIS;

    @TempDir Path folder;
    private ApiWorld api;
    private PartitionWorld world;
    private Partition orders;

    @BeforeEach
    void begin() {
        api = new ApiWorld(folder);
        world = api.world;
        api.create("orders", 1);
        orders = api.partition("orders", 0);
        BatchBuilder builder = new BatchBuilder();
        for (long later : new long[] {0, 20, 10}) {
            builder.add(LogRecord.of(AT + later, "key", "value"));
        }
        orders.append(builder.build(), Acks.ALL, 30_000, world.home);
        world.settle();
    }

    private ListOffsetsPartitionResponse list(int partition, int epoch, long timestamp) {
        ListOffsetsPartition asked = new ListOffsetsPartition(partition, epoch, timestamp);
        ListOffsetsRequest request =
                ListOffsetsRequest.builder()
                        .replicaId(-1)
                        .topics(List.of(new ListOffsetsTopic("orders", List.of(asked))))
                        .build();
        return api.answer(
                        new ListOffsetsHandler(world.directory),
                        request,
                        10,
                        ListOffsetsResponse.class)
                .topics()
                .getFirst()
                .partitions()
                .getFirst();
    }

    private static ListOffsetsPartitionResponse listed(long offset, long timestamp) {
        return ListOffsetsPartitionResponse.builder()
                .offset(offset)
                .timestamp(timestamp)
                .leaderEpoch(0)
                .build();
    }

    @Test
    void theEdgesOfThePartition() {
        delete(1);
        assertThat(list(0, -1, EARLIEST)).isEqualTo(listed(1, -1));
        assertThat(list(0, -1, -4)).as("earliest local").isEqualTo(listed(1, -1));
        assertThat(list(0, -1, LATEST)).isEqualTo(listed(3, -1));
    }

    @Test
    void theLatestIsWhatMayBeRead() {
        world.append(orders, Acks.ALL, "not safe yet");
        world.turn();
        ListOffsetsPartition asked = new ListOffsetsPartition(0, -1, LATEST);
        ListOffsetsRequest request =
                ListOffsetsRequest.builder()
                        .topics(List.of(new ListOffsetsTopic("orders", List.of(asked))))
                        .build();
        var reply =
                api.ask(
                        new ListOffsetsHandler(world.directory),
                        request,
                        10,
                        ListOffsetsResponse.class);
        assertThat(PartitionWorld.require(reply).topics().getFirst().partitions())
                .containsExactly(listed(3, -1));
    }

    /// Where a reader would stop for good, believing that it has everything.
    @Test
    void theEndIsNotSaidWhileAnotherBrokerMayLead() {
        Assignment alone = orders.assignment();
        int self = alone.self();
        orders.assign(
                new Assignment(
                        self,
                        alone.leaderEpoch() + 1,
                        List.of(self, self + 1),
                        List.of(self),
                        1,
                        self));
        world.settle();
        world.certain = false;
        for (long newest : new long[] {LATEST, MAX_TIMESTAMP, AT + 5}) {
            assertThat(list(0, -1, newest).errorCode())
                    .isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.id());
        }
        assertThat(list(0, -1, EARLIEST).errorCode()).isZero();
        world.certain = true;
        assertThat(list(0, -1, LATEST).offset()).isEqualTo(3);
    }

    @Test
    void theFirstAtOrAfterATime() {
        assertThat(list(0, -1, AT + 5)).isEqualTo(listed(1, AT + 20));
        assertThat(list(0, -1, MAX_TIMESTAMP)).isEqualTo(listed(1, AT + 20));
        assertThat(list(0, -1, AT + 21)).isEqualTo(ListOffsetsPartitionResponse.builder().build());
    }

    @Test
    void tieredOffsetsDoNotExistHere() {
        assertThat(list(0, -1, -5)).isEqualTo(ListOffsetsPartitionResponse.builder().build());
        assertThat(list(0, -1, -6)).isEqualTo(ListOffsetsPartitionResponse.builder().build());
    }

    /// KIP-320.
    @Test
    void whoeverAsksTheWrongOneIsTold() {
        assertThat(list(7, -1, LATEST).errorCode())
                .isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.id());
        assertThat(list(0, 1, LATEST).errorCode()).isEqualTo(ErrorCode.UNKNOWN_LEADER_EPOCH.id());
        assertThat(list(0, 0, LATEST).errorCode()).isZero();
        assertThat(list(0, -1, -99).errorCode()).isEqualTo(ErrorCode.INVALID_REQUEST.id());
        orders.retire(world.home);
        assertThat(list(0, -1, LATEST).errorCode())
                .isEqualTo(ErrorCode.NOT_LEADER_OR_FOLLOWER.id());
    }

    private EpochEndOffset endOf(int partition, int believed, int epoch) {
        OffsetForLeaderPartition asked = new OffsetForLeaderPartition(partition, believed, epoch);
        OffsetForLeaderEpochRequest request =
                OffsetForLeaderEpochRequest.builder()
                        .topics(List.of(new OffsetForLeaderTopic("orders", List.of(asked))))
                        .build();
        return api.answer(
                        new OffsetForLeaderEpochHandler(world.directory),
                        request,
                        4,
                        OffsetForLeaderEpochResponse.class)
                .topics()
                .getFirst()
                .partitions()
                .getFirst();
    }

    /// KIP-101, KIP-320.
    @Test
    void theEndOfAnEpoch() {
        assertThat(endOf(0, -1, 0))
                .isEqualTo(EpochEndOffset.builder().leaderEpoch(0).endOffset(3).build());
        assertThat(endOf(0, -1, 5))
                .isEqualTo(EpochEndOffset.builder().leaderEpoch(-1).endOffset(-1).build());
        assertThat(endOf(0, 1, 0).errorCode()).isEqualTo(ErrorCode.UNKNOWN_LEADER_EPOCH.id());
        assertThat(endOf(9, -1, 0).errorCode())
                .isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.id());
    }

    private DeleteRecordsPartitionResult delete(long before) {
        return delete("orders", 0, before);
    }

    private DeleteRecordsPartitionResult delete(String topic, int partition, long before) {
        DeleteRecordsPartition asked = new DeleteRecordsPartition(partition, before);
        DeleteRecordsRequest request =
                DeleteRecordsRequest.builder()
                        .topics(List.of(new DeleteRecordsTopic(topic, List.of(asked))))
                        .build();
        return api.answer(
                        new DeleteRecordsHandler(world.directory),
                        request,
                        2,
                        DeleteRecordsResponse.class)
                .topics()
                .getFirst()
                .partitions()
                .getFirst();
    }

    @Test
    void recordsCanBeGivenUpToAnOffsetOrAll() {
        assertThat(delete(2)).isEqualTo(new DeleteRecordsPartitionResult(0, 2, (short) 0));
        assertThat(delete(-1)).isEqualTo(new DeleteRecordsPartitionResult(0, 3, (short) 0));
        assertThat(delete(4).errorCode()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE.id());
        assertThat(delete(-2).errorCode()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE.id());
        assertThat(delete("orders", 9, 0).errorCode())
                .isEqualTo(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.id());
    }

    /// Or any client could make every group forget where it was.
    @Test
    void theBrokersOwnRecordsAreNotAClientsToDelete() {
        api.create("__consumer_offsets", 1);
        world.appendDurably(api.partition("__consumer_offsets", 0), "a");
        assertThat(delete("__consumer_offsets", 0, -1).errorCode())
                .isEqualTo(ErrorCode.INVALID_TOPIC_EXCEPTION.id());
        assertThat(api.partition("__consumer_offsets", 0).startOffsetSeen()).isZero();
    }
}
