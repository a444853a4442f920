package io.sluice.simulation.cluster.client;

import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.InitProducerIdRequest;
import io.sluice.kafka.wire.message.InitProducerIdResponse;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.kafka.wire.message.ProduceRequest.PartitionProduceData;
import io.sluice.kafka.wire.message.ProduceRequest.TopicProduceData;
import io.sluice.kafka.wire.message.ProduceResponse;
import io.sluice.kafka.wire.message.ProduceResponse.PartitionProduceResponse;
import io.sluice.record.BatchBuilder;
import io.sluice.record.PartitionId;
import io.sluice.record.RecordBatch;
import io.sluice.record.Records;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.cluster.Cluster;
import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.PartitionLife;
import io.sluice.simulation.cluster.Witness;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A producer as Kafka's: idempotent with `acks=all`, some batches under way for each partition, each sent again for ever until it is acknowledged.
///
/// Or a careless one: `acks=1`, no sequence numbers, nothing sent twice, so that logs get tails that nobody promised to keep. Owned by its run.
public final class SimKafkaProducer {
    private static final short VERSION = 13;
    private static final short INIT_VERSION = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(4);
    private static final int SERVER_TIMEOUT_MILLIS = 3_000;
    private static final Duration RETRY_PAUSE = Duration.ofMillis(60);

    private final ClientProgram client;
    private final Witness witness;
    private final String topic;
    private final boolean careless;
    private final int inFlightMax;
    private final int paceMillis;
    private final KnownLeaders leaders;
    private final SortedMap<Integer, BatchQueue> queues = new TreeMap<>();

    /// To which the queues belong.
    private @Nullable UUID topicId;

    private long producerId = RecordBatch.NO_PRODUCER_ID;
    private short producerEpoch = -1;
    private boolean ready;
    private boolean stopped;
    private int counter;

    public SimKafkaProducer(
            Cluster cluster, Witness witness, String topic, int number, boolean careless) {
        this.client = new ClientProgram(cluster, "producer-" + number);
        this.witness = witness;
        this.topic = topic;
        this.careless = careless;
        this.inFlightMax = careless ? 1 : cluster.shape().inFlight();
        this.paceMillis = client.entropy().pick(List.of(60, 150, 400));
        this.leaders = new KnownLeaders(client, topic, this::leadersKnown);
    }

    /// Begins when the topic is there.
    public void start() {
        client.run(
                () -> {
                    leaders.refresh();
                    if (careless) {
                        begin();
                    } else {
                        askForId();
                    }
                });
    }

    /// No new batches; those under way go on.
    public void stop() {
        stopped = true;
    }

    /// Everything that was sent is acknowledged.
    public boolean isDone() {
        return queues.values().stream().allMatch(BatchQueue::isEmpty);
    }

    /// What is not, for a person.
    @Override
    public String toString() {
        return client.name() + " with " + queues;
    }

    private void askForId() {
        InitProducerIdRequest request =
                InitProducerIdRequest.builder()
                        .transactionalId(null)
                        .transactionTimeoutMs(60_000)
                        .producerId(-1)
                        .producerEpoch((short) -1)
                        .build();
        client.ask(client.anyBroker(), request, INIT_VERSION, TIMEOUT)
                .then(this::tookId, _ -> client.after(RETRY_PAUSE, this::askForId));
    }

    private void tookId(ApiResponse response) {
        InitProducerIdResponse answer = (InitProducerIdResponse) response;
        ErrorCode error = ErrorCode.find(answer.errorCode());
        switch (error) {
            case NONE -> {}
            case COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR -> {
                client.after(RETRY_PAUSE, this::askForId);
                return;
            }
            case null, default ->
                    throw new InvariantBroken(
                            "OnlyErrorsThatClientsCanHandle",
                            client.name() + " was answered " + error + " when it asked for an id");
        }
        producerId = answer.producerId();
        producerEpoch = answer.producerEpoch();
        begin();
    }

    private void begin() {
        ready = true;
        produce();
    }

    private void produce() {
        if (stopped) {
            return;
        }
        client.after(Duration.ofMillis(1 + client.entropy().below(2 * paceMillis)), this::produce);
        List<Integer> partitions = leaders.indexes();
        UUID known = topicId;
        if (known == null || partitions.isEmpty()) {
            leaders.refresh();
            return;
        }
        int partition = client.entropy().pick(partitions);
        BatchQueue queue =
                queues.computeIfAbsent(
                        partition,
                        _ ->
                                new BatchQueue(
                                        new PartitionLife(known, new PartitionId(topic, partition)),
                                        inFlightMax));
        if (!queue.isFull() && !(careless && leaders.of(partition) == null)) {
            add(queue);
            drain(partition, queue);
        }
    }

    private void add(BatchQueue queue) {
        int records = client.entropy().oneIn(4) ? client.entropy().between(2, 4) : 1;
        BatchBuilder builder = new BatchBuilder();
        if (!careless) {
            builder.producer(producerId, producerEpoch, queue.nextSequence());
        }
        for (int i = 0; i < records; i++) {
            String value = client.name() + "#" + counter++ + "x".repeat(client.entropy().below(40));
            builder.add(client.wallMillis(), null, utf8(value));
        }
        ByteBuffer bytes = builder.build();
        History.Sent sent =
                new History.Sent(
                        queue.partition(),
                        client.name(),
                        queue.nextNumber(),
                        RecordBatch.at(bytes, 0).checksum(),
                        !careless);
        witness.sent(sent);
        queue.add(new BatchQueue.Batch(sent, bytes, records));
    }

    private static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /// What was not acknowledged of a deleted topic is forgotten with it.
    private void leadersKnown() {
        UUID now = leaders.topicId();
        if (!Objects.equals(now, topicId)) {
            topicId = now;
            queues.clear();
        }
        drainAll();
    }

    private void drainAll() {
        if (ready) {
            queues.forEach(this::drain);
        }
    }

    private void drain(int partition, BatchQueue queue) {
        if (queues.get(partition) != queue) {
            return; // Of a deleted topic.
        }
        KnownLeaders.Leader leader = leaders.of(partition);
        if (leader == null) {
            leaders.refresh();
            return;
        }
        for (BatchQueue.Batch next = queue.next(); next != null; next = queue.next()) {
            send(partition, queue, next, leader);
        }
    }

    private void send(
            int partition, BatchQueue queue, BatchQueue.Batch batch, KnownLeaders.Leader leader) {
        queue.underWay(batch);
        ByteBuffer copy = ByteBuffer.allocate(batch.bytes().remaining());
        copy.put(batch.bytes().duplicate()).flip();
        ProduceRequest request =
                ProduceRequest.builder()
                        .acks((short) (careless ? 1 : -1))
                        .timeoutMs(SERVER_TIMEOUT_MILLIS)
                        .topicData(
                                List.of(
                                        new TopicProduceData(
                                                topic,
                                                queue.partition().topic(),
                                                List.of(
                                                        new PartitionProduceData(
                                                                partition,
                                                                new Records.InMemory(copy))))))
                        .build();
        client.ask(leader.broker(), request, VERSION, TIMEOUT)
                .then(
                        answer -> answered(partition, queue, batch, leader, answer),
                        _ -> setBack(partition, queue, batch, true));
    }

    private void answered(
            int partition,
            BatchQueue queue,
            BatchQueue.Batch batch,
            KnownLeaders.Leader leader,
            ApiResponse response) {
        PartitionProduceResponse answer =
                ((ProduceResponse) response).responses().getFirst().partitionResponses().getFirst();
        ErrorCode error = ErrorCode.find(answer.errorCode());
        switch (error) {
            case NONE, DUPLICATE_SEQUENCE_NUMBER -> {
                queue.done(batch);
                client.cluster().count(careless ? "acks of acks=1" : "acks of acks=all");
                if (answer.baseOffset() < 0) {
                    // It is there already, and the leader does not remember where.
                    client.cluster().count("acks without an offset");
                } else if (!careless) {
                    witness.acked(batch.sent(), answer.baseOffset(), batch.records());
                }
                drain(partition, queue);
            }
            case OUT_OF_ORDER_SEQUENCE_NUMBER -> {
                if (queue.isFirst(batch)) {
                    throw new InvariantBroken(
                            "AcknowledgedIsNeverLost",
                            leader
                                    + " misses what came before "
                                    + batch.sent()
                                    + ", which is acknowledged");
                }
                setBack(partition, queue, batch, false);
            }
            case NOT_LEADER_OR_FOLLOWER,
                    LEADER_NOT_AVAILABLE,
                    FENCED_LEADER_EPOCH,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    UNKNOWN_TOPIC_ID,
                    KAFKA_STORAGE_ERROR ->
                    setBack(partition, queue, batch, true);
            case NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT ->
                    setBack(partition, queue, batch, false);
            case null, default ->
                    throw new InvariantBroken(
                            "OnlyErrorsThatClientsCanHandle",
                            "a producer was answered " + error + " for " + batch.sent());
        }
    }

    /// Sent again after a pause; a careless producer forgets it.
    private void setBack(
            int partition, BatchQueue queue, BatchQueue.Batch batch, boolean elsewhere) {
        client.cluster().count("sends failed");
        if (careless) {
            queue.done(batch);
        } else {
            queue.again(batch);
        }
        if (elsewhere) {
            leaders.refresh();
        }
        client.after(RETRY_PAUSE, () -> drain(partition, queue));
    }
}
