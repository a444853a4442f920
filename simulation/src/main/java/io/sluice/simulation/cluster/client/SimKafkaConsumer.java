package io.sluice.simulation.cluster.client;

import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochResponse;
import io.sluice.kafka.wire.message.OffsetForLeaderEpochResponse.EpochEndOffset;
import io.sluice.record.PartitionId;
import io.sluice.record.RecordBatch;
import io.sluice.record.Records;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.cluster.Cluster;
import io.sluice.simulation.cluster.PartitionLife;
import io.sluice.simulation.cluster.Witness;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A consumer as Kafka's that reads every partition of a topic from its beginning, and checks after each change of leader that its history is the leader's (KIP-320).
///
/// ```
///   lost ──▶ leader known ──▶ history checked ──▶ fetching ──▶ … any error ──▶ lost
/// ```
/// One that says where it is reads from the replica that its leader names (KIP-392), until that fails. What it reads is committed, so that it must never be told to go back.
/// Owned by its run.
public final class SimKafkaConsumer {
    private static final short FETCH_VERSION = 13;
    private static final short CHECK_VERSION = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(4);
    private static final Duration PAUSE = Duration.ofMillis(80);
    private static final int MAX_WAIT_MILLIS = 500;
    private static final int MAX_BYTES = 1 << 20;
    private static final int NOBODY = -1;

    private final ClientProgram client;
    private final Witness witness;
    private final String topic;
    private final boolean sendsLastEpoch;
    private final String rack;
    private final KnownLeaders leaders;
    private final SortedMap<Integer, Reading> readings = new TreeMap<>();

    /// To which the readings belong.
    private @Nullable UUID topicId;

    private static final class Reading {
        private final PartitionLife of;
        private long position;
        private int lastEpoch = -1;
        private int checkedIn = -1;
        private int nearest = NOBODY;
        private boolean busy;

        Reading(PartitionLife of) {
            this.of = of;
        }
    }

    public SimKafkaConsumer(Cluster cluster, Witness witness, String topic, int number) {
        this.client = new ClientProgram(cluster, "consumer-" + number);
        this.witness = witness;
        this.topic = topic;
        this.sendsLastEpoch = client.entropy().chance(50);
        this.rack = client.entropy().chance(40) ? cluster.broker(client.anyBroker()).rack() : "";
        this.leaders = new KnownLeaders(client, topic, this::goOn);
    }

    public void start() {
        client.run(leaders::refresh);
    }

    /// How far it has read; -1 when it reads another topic of this name.
    public long position(PartitionLife partition) {
        Reading reading = readings.get(partition.id().index());
        return reading == null || !reading.of.equals(partition) ? -1 : reading.position;
    }

    /// From the beginning where the topic is another one.
    private void goOn() {
        UUID now = leaders.topicId();
        if (now == null) {
            return;
        }
        if (!now.equals(topicId)) {
            topicId = now;
            readings.clear();
        }
        for (int partition : leaders.indexes()) {
            Reading reading =
                    readings.computeIfAbsent(
                            partition,
                            _ ->
                                    new Reading(
                                            new PartitionLife(
                                                    now, new PartitionId(topic, partition))));
            if (!reading.busy) {
                next(partition, reading);
            }
        }
    }

    private void next(int partition, Reading reading) {
        KnownLeaders.Leader leader = leaders.of(partition);
        if (leader == null) {
            leaders.refresh();
            return;
        }
        reading.busy = true;
        if (reading.lastEpoch >= 0 && reading.checkedIn != leader.epoch()) {
            checkHistory(partition, reading, leader);
        } else {
            reading.checkedIn = leader.epoch();
            fetch(partition, reading, leader);
        }
    }

    private void pause(int partition, Reading reading) {
        reading.nearest = NOBODY;
        client.after(
                PAUSE,
                () -> {
                    if (isOver(partition, reading)) {
                        return;
                    }
                    reading.busy = false;
                    leaders.refresh();
                    next(partition, reading);
                });
    }

    /// Its topic was deleted, and there is another one.
    private boolean isOver(int partition, Reading reading) {
        return readings.get(partition) != reading;
    }

    private void checkHistory(int partition, Reading reading, KnownLeaders.Leader leader) {
        OffsetForLeaderEpochRequest request =
                OffsetForLeaderEpochRequest.builder()
                        .replicaId(-1)
                        .topics(
                                List.of(
                                        new OffsetForLeaderTopic(
                                                topic,
                                                List.of(
                                                        new OffsetForLeaderPartition(
                                                                partition,
                                                                leader.epoch(),
                                                                reading.lastEpoch)))))
                        .build();
        client.ask(leader.broker(), request, CHECK_VERSION, TIMEOUT)
                .then(
                        answer -> checked(partition, reading, leader, answer),
                        _ -> pause(partition, reading));
    }

    private void checked(
            int partition, Reading reading, KnownLeaders.Leader leader, ApiResponse response) {
        if (isOver(partition, reading)) {
            return;
        }
        EpochEndOffset end =
                ((OffsetForLeaderEpochResponse) response)
                        .topics()
                        .getFirst()
                        .partitions()
                        .getFirst();
        boolean agrees =
                end.leaderEpoch() == reading.lastEpoch && end.endOffset() >= reading.position;
        boolean isCertain = client.cluster().generations().isUnambiguous(topic);
        if (end.errorCode() != ErrorCode.NONE.id() || (!agrees && !isCertain)) {
            pause(partition, reading);
            return;
        }
        require(
                agrees,
                partition,
                "has read up to "
                        + reading.position
                        + " in epoch "
                        + reading.lastEpoch
                        + ", which by "
                        + leader
                        + " ended at "
                        + end.endOffset()
                        + " of epoch "
                        + end.leaderEpoch());
        reading.checkedIn = leader.epoch();
        fetch(partition, reading, leader);
    }

    private void fetch(int partition, Reading reading, KnownLeaders.Leader leader) {
        FetchRequest request =
                FetchRequest.builder()
                        .maxWaitMs(MAX_WAIT_MILLIS)
                        .minBytes(1)
                        .maxBytes(MAX_BYTES)
                        .sessionId(0)
                        .sessionEpoch(-1)
                        .rackId(rack)
                        .topics(
                                List.of(
                                        new FetchTopic(
                                                topic,
                                                reading.of.topic(),
                                                List.of(partition(partition, reading, leader)))))
                        .build();
        int from = reading.nearest == NOBODY ? leader.broker() : reading.nearest;
        client.ask(from, request, FETCH_VERSION, TIMEOUT)
                .then(
                        answer -> fetched(partition, reading, leader, answer),
                        _ -> pause(partition, reading));
    }

    private FetchPartition partition(int partition, Reading reading, KnownLeaders.Leader leader) {
        return FetchPartition.builder()
                .partition(partition)
                .currentLeaderEpoch(leader.epoch())
                .fetchOffset(reading.position)
                .lastFetchedEpoch(
                        sendsLastEpoch && reading.nearest == NOBODY ? reading.lastEpoch : -1)
                .partitionMaxBytes(MAX_BYTES)
                .build();
    }

    private void fetched(
            int partition, Reading reading, KnownLeaders.Leader leader, ApiResponse response) {
        if (isOver(partition, reading)) {
            return;
        }
        FetchResponse answer = (FetchResponse) response;
        if (answer.errorCode() != ErrorCode.NONE.id() || answer.responses().isEmpty()) {
            pause(partition, reading);
            return;
        }
        PartitionData data = answer.responses().getFirst().partitions().getFirst();
        ErrorCode error = ErrorCode.find(data.errorCode());
        if (error == ErrorCode.NONE) {
            require(
                    data.divergingEpoch().epoch() < 0,
                    partition,
                    leader
                            + " says that what was read at "
                            + reading.position
                            + " is not its history: "
                            + data.divergingEpoch());
            take(partition, reading, leader, data);
            if (data.preferredReadReplica() >= 0) {
                client.cluster().count("readers sent to a replica");
                reading.nearest = data.preferredReadReplica();
            }
            reading.busy = false;
            next(partition, reading);
        } else {
            require(
                    error != ErrorCode.OFFSET_OUT_OF_RANGE || reading.nearest != NOBODY,
                    partition,
                    "at " + reading.position + " was told by " + leader + ": out of range");
            pause(partition, reading);
        }
    }

    private void take(
            int partition, Reading reading, KnownLeaders.Leader leader, PartitionData data) {
        // A follower that is started again may know less for a while, and a leader whose disk has
        // failed sends readers elsewhere without knowing any.
        if (reading.nearest == NOBODY && data.highWatermark() >= 0) {
            witness.watermark(reading.of, leader.epoch(), data.highWatermark(), client.name());
        }
        ByteBuffer bytes = bytesOf(data.records());
        int at = bytes.position();
        while (bytes.limit() - at >= RecordBatch.HEADER_BYTES) {
            RecordBatch batch = RecordBatch.at(bytes, at);
            if (at + batch.sizeInBytes() > bytes.limit()) {
                break; // Only a part: it comes again.
            }
            require(batch.checksumHolds(), partition, "was given a damaged " + batch);
            require(
                    batch.nextOffset() <= data.highWatermark(),
                    partition,
                    "was given " + batch + " beyond the watermark " + data.highWatermark());
            if (batch.nextOffset() > reading.position) {
                require(
                        batch.baseOffset() <= reading.position,
                        partition,
                        "was given " + batch + " at " + reading.position);
                witness.read(reading.of, batch, client.name());
                reading.position = batch.nextOffset();
                reading.lastEpoch = batch.leaderEpoch();
            }
            at += batch.sizeInBytes();
        }
    }

    private static ByteBuffer bytesOf(@Nullable Records records) {
        return records instanceof Records.InMemory(ByteBuffer bytes)
                ? bytes
                : ByteBuffer.allocate(0);
    }

    private void require(boolean holds, int partition, String otherwise) {
        if (!holds) {
            throw new InvariantBroken(
                    "CommittedPrefixesAgree",
                    client.name() + " of " + topic + "-" + partition + " " + otherwise);
        }
    }
}
