package io.sluice.broker;

import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.ApiRequest;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.Frame;
import io.sluice.kafka.wire.Messages;
import io.sluice.kafka.wire.RequestHeader;
import io.sluice.kafka.wire.ResponseHeader;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.WireWriter;
import io.sluice.kafka.wire.message.ApiVersionsRequest;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FindCoordinatorRequest;
import io.sluice.kafka.wire.message.InitProducerIdRequest;
import io.sluice.kafka.wire.message.ListOffsetsRequest;
import io.sluice.kafka.wire.message.MetadataRequest;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import io.sluice.record.Records;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;

/// A short run through the start and the common requests, for the JVM to remember what it loads and compiles (JEP 483, 514, 515).
final class Training {
    private static final String TOPIC = "training";
    private static final int ROUNDS = 2_000;

    private final DataInputStream in;
    private final OutputStream out;

    private Training(Socket socket) throws IOException {
        this.in = new DataInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    static void run(Broker broker) {
        Address address = broker.kafkaFromHere();
        try (Socket socket = new Socket(address.host(), address.port())) {
            new Training(socket).exercise();
        } catch (IOException e) {
            throw new IllegalStateException("The training run was cut off: " + e, e);
        }
    }

    private void exercise() throws IOException {
        ask(ApiKey.API_VERSIONS, ApiVersionsRequest.builder().build());
        MetadataRequest.MetadataRequestTopic topic =
                MetadataRequest.MetadataRequestTopic.builder().name(TOPIC).build();
        ask(ApiKey.METADATA, 12, MetadataRequest.builder().topics(List.of(topic)).build());
        ask(ApiKey.INIT_PRODUCER_ID, InitProducerIdRequest.builder().transactionalId(null).build());
        ask(
                ApiKey.FIND_COORDINATOR,
                FindCoordinatorRequest.builder().coordinatorKeys(List.of(TOPIC)).build());
        for (int round = 0; round < ROUNDS; round++) {
            ask(ApiKey.PRODUCE, 12, produce(round % 50 == 0 ? -1 : 1));
            ask(ApiKey.FETCH, 12, fetch(round));
        }
        ask(ApiKey.LIST_OFFSETS, listOffsets());
    }

    private static ProduceRequest produce(int acks) {
        ByteBuffer batch =
                new BatchBuilder().add(LogRecord.of(1, "key", "a value of some length")).build();
        ProduceRequest.PartitionProduceData partition =
                new ProduceRequest.PartitionProduceData(0, new Records.InMemory(batch));
        ProduceRequest.TopicProduceData topic =
                ProduceRequest.TopicProduceData.builder()
                        .name(TOPIC)
                        .partitionData(List.of(partition))
                        .build();
        return ProduceRequest.builder()
                .acks((short) acks)
                .timeoutMs(1000)
                .topicData(List.of(topic))
                .build();
    }

    private static FetchRequest fetch(long offset) {
        FetchRequest.FetchPartition partition =
                FetchRequest.FetchPartition.builder()
                        .fetchOffset(offset)
                        .partitionMaxBytes(1 << 16)
                        .build();
        FetchRequest.FetchTopic topic =
                FetchRequest.FetchTopic.builder()
                        .topic(TOPIC)
                        .partitions(List.of(partition))
                        .build();
        return FetchRequest.builder().maxWaitMs(1).minBytes(1).topics(List.of(topic)).build();
    }

    private static ListOffsetsRequest listOffsets() {
        ListOffsetsRequest.ListOffsetsPartition partition =
                ListOffsetsRequest.ListOffsetsPartition.builder().timestamp(-1).build();
        ListOffsetsRequest.ListOffsetsTopic topic =
                new ListOffsetsRequest.ListOffsetsTopic(TOPIC, List.of(partition));
        return ListOffsetsRequest.builder().replicaId(-1).topics(List.of(topic)).build();
    }

    private void ask(ApiKey key, ApiRequest request) throws IOException {
        ask(key, key.highestVersion(), request);
    }

    private void ask(ApiKey key, int version, ApiRequest request) throws IOException {
        WireWriter writer = new WireWriter();
        Frame.writeRequest(writer, new RequestHeader(key, (short) version, 1, "training"), request);
        for (WirePart part : writer.parts()) {
            if (part instanceof WirePart.Bytes(ByteBuffer bytes)) {
                byte[] copy = new byte[bytes.remaining()];
                bytes.duplicate().get(copy);
                out.write(copy);
            }
        }
        WireReader reader = new WireReader(ByteBuffer.wrap(in.readNBytes(in.readInt())));
        ResponseHeader.read(reader, key, (short) version);
        ApiResponse response = Messages.readResponse(key, (short) version, reader);
        if (response.apiKey() != key.id()) {
            throw new IllegalStateException("asked for " + key + ", got " + response);
        }
    }
}
