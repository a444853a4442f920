package io.sluice.kafka.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.kafka.api.ApiWorld;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.kafka.wire.message.ProduceRequest.PartitionProduceData;
import io.sluice.kafka.wire.message.ProduceRequest.TopicProduceData;
import io.sluice.kafka.wire.message.ProduceResponse;
import io.sluice.kafka.wire.message.ProduceResponse.PartitionProduceResponse;
import io.sluice.kafka.wire.message.ProduceResponse.TopicProduceResponse;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import io.sluice.record.PartitionId;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Producers' requests: what each `acks` waits for (Q25), what is refused, and one answer for many partitions (Q14).
class ProduceTest {
    private static final int NAMED = 12;
    private static final int BY_ID = 13;
    private static final UUID NO_ID = new UUID(0, 0);

    @TempDir Path folder;
    private ApiWorld api;
    private PartitionWorld world;
    private ProduceHandler produce;
    private int forcesBefore;

    @BeforeEach
    void begin() {
        api = new ApiWorld(folder);
        world = api.world;
        produce = new ProduceHandler(world.directory, api.controller, 3);
        api.create("orders", 2);
        world.open(api.partition("orders", 0));
        world.open(api.partition("orders", 1));
        forcesBefore = world.disk.forces();
    }

    private static PartitionProduceData to(int partition, String... values) {
        return new PartitionProduceData(
                partition, new Records.InMemory(PartitionWorld.batch(values)));
    }

    private static TopicProduceData topic(String name, PartitionProduceData... data) {
        return new TopicProduceData(name, NO_ID, List.of(data));
    }

    private Reply<ProduceResponse> ask(int acks, TopicProduceData... topics) {
        ProduceRequest request =
                ProduceRequest.builder()
                        .acks((short) acks)
                        .timeoutMs(PartitionWorld.TIMEOUT_MILLIS)
                        .topicData(List.of(topics))
                        .build();
        return api.ask(produce, request, NAMED, ProduceResponse.class);
    }

    /// As `topic-partition@offset` or `topic-partition!ERROR`, in the order of the answer.
    private static List<String> told(Reply<ProduceResponse> reply) {
        List<String> told = new ArrayList<>();
        for (TopicProduceResponse topic : PartitionWorld.require(reply).responses()) {
            for (PartitionProduceResponse partition : topic.partitionResponses()) {
                ErrorCode error = Objects.requireNonNull(ErrorCode.find(partition.errorCode()));
                told.add(
                        topic.name()
                                + "-"
                                + partition.index()
                                + (error == ErrorCode.NONE
                                        ? "@" + partition.baseOffset()
                                        : "!" + error));
            }
        }
        return told;
    }

    @Test
    void aLeadersAckDoesNotWaitForTheDisk() {
        assertThat(told(ask(1, topic("orders", to(0, "a"))))).containsExactly("orders-0@0");
        assertThat(told(ask(0, topic("orders", to(0, "b"))))).containsExactly("orders-0@1");
        assertThat(world.disk.forces()).isEqualTo(forcesBefore);
    }

    @Test
    void anAckOfAllWaitsForTheDisksOfAllPartitions() {
        Reply<ProduceResponse> reply = ask(-1, topic("orders", to(1, "a"), to(0, "b")));
        assertThat(reply.isDone()).isFalse();
        world.flushOne();
        assertThat(reply.isDone()).isFalse();
        world.flushOne();
        assertThat(told(reply)).containsExactly("orders-1@0", "orders-0@0");
    }

    @Test
    void otherAcksAreRefused() {
        assertThat(told(ask(2, topic("orders", to(0, "a")))))
                .containsExactly("orders-0!INVALID_REQUIRED_ACKS");
        assertThat(world.valuesFrom(api.partition("orders", 0), 0)).isEmpty();
    }

    @Test
    void oneRefusalDoesNotHinderTheOthersAndTheOrderIsTheRequests() {
        ByteBuffer broken = PartitionWorld.batch("x");
        broken.put(broken.limit() - 1, (byte) 99);
        Reply<ProduceResponse> reply =
                ask(
                        1,
                        topic("nowhere", to(0, "a")),
                        topic(
                                "orders",
                                to(1, "b"),
                                new PartitionProduceData(0, new Records.InMemory(broken)),
                                to(9, "c")),
                        topic("__consumer_offsets", to(0, "d")));
        assertThat(told(reply))
                .containsExactly(
                        "nowhere-0!UNKNOWN_TOPIC_OR_PARTITION",
                        "orders-1@0",
                        "orders-0!CORRUPT_MESSAGE",
                        "orders-9!UNKNOWN_TOPIC_OR_PARTITION",
                        "__consumer_offsets-0!INVALID_TOPIC_EXCEPTION");
    }

    @Test
    void aRequestWithoutRecordsIsRefused() {
        PartitionProduceData empty =
                new PartitionProduceData(0, new Records.InMemory(ByteBuffer.allocate(0)));
        assertThat(told(ask(1, topic("orders", new PartitionProduceData(0, null)))))
                .containsExactly("orders-0!INVALID_RECORD");
        assertThat(told(ask(1, topic("orders", empty)))).containsExactly("orders-0!INVALID_RECORD");
    }

    @Test
    void aRequestForNothingIsAnswered() {
        assertThat(told(ask(1))).isEmpty();
    }

    @Test
    void topicsAreNamedByTheirIdsInNewVersions() {
        UUID id = api.create("named", 1).id();
        ProduceRequest request =
                ProduceRequest.builder()
                        .acks((short) 1)
                        .topicData(
                                List.of(
                                        new TopicProduceData("", id, List.of(to(0, "a"))),
                                        new TopicProduceData(
                                                "", new UUID(1, 2), List.of(to(0, "b")))))
                        .build();
        ProduceResponse answer = api.answer(produce, request, BY_ID, ProduceResponse.class);
        assertThat(told(Reply.of(answer))).containsExactly("-0@0", "-0!UNKNOWN_TOPIC_ID");
        assertThat(answer.responses().getFirst().topicId()).isEqualTo(id);
    }

    /// The plan that the broker has looked at is older, or newer, than what it has done about it.
    @Test
    void nothingIsWrittenToAnotherTopicOfTheName() {
        UUID id = api.create("named", 1).id();
        PartitionId place = new PartitionId("named", 0);
        world.directory.remove(place);
        Partition other = world.directory.add(place, new UUID(1, 2), PartitionWorld.settings(), 0);
        ProduceRequest request =
                ProduceRequest.builder()
                        .acks((short) 1)
                        .topicData(List.of(new TopicProduceData("", id, List.of(to(0, "a")))))
                        .build();
        Reply<ProduceResponse> reply = api.ask(produce, request, BY_ID, ProduceResponse.class);
        world.settle();
        assertThat(told(reply)).containsExactly("-0!NOT_LEADER_OR_FOLLOWER");
        assertThat(world.valuesFrom(other, 0)).isEmpty();
    }

    @Test
    void aFailedDiskIsSaid() {
        Reply<ProduceResponse> reply = ask(-1, topic("orders", to(0, "a")));
        world.disk.failForces();
        world.settle();
        assertThat(told(reply)).containsExactly("orders-0!KAFKA_STORAGE_ERROR");
    }
}
