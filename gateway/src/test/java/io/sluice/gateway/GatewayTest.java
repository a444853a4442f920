package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskFile;
import io.sluice.env.FileSlice;
import io.sluice.env.os.OsDisk;
import io.sluice.gateway.HeldRequests.Held;
import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.WireReader;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.FetchableTopicResponse;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.kafka.wire.message.ProduceResponse;
import io.sluice.record.Records;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// From bytes to requests and from answers to bytes (Q38), and every buffer given back.
class GatewayTest {
    @TempDir Path folder;
    private Gateway gateway;

    @BeforeEach
    void open() {
        gateway = new Gateway(Gateway.ROOMY);
    }

    @AfterEach
    void nothingIsLeftBehind() {
        gateway.close();
        assertThat(gateway.bugs).isEmpty();
        assertThat(Leaks.take()).isEmpty();
    }

    @Test
    void aFrameMayBeSplitAnywhere() throws Exception {
        byte[] frame = TestClient.frame(7, "split");
        try (TestClient client = gateway.connect();
                TestClient other = gateway.connect()) {
            for (int at = 1; at < frame.length; at++) {
                client.send(frame, 0, at);
                gateway.pulse(other);
                assertThat(gateway.requests.waiting()).as("split at " + at).isZero();
                client.send(frame, at, frame.length);
                gateway.requests.take().answer();
                assertThat(client.receiveId()).isEqualTo(7);
            }
        }
    }

    @Test
    void manyFramesMayComeInOneSegment() throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int id = 0; id < 200; id++) {
            all.writeBytes(TestClient.frame(id, HeldRequests.PULSE));
        }
        try (TestClient client = gateway.connect()) {
            client.send(all.toByteArray());
            for (int id = 0; id < 200; id++) {
                assertThat(client.receiveId()).isEqualTo(id);
            }
        }
        assertThat(gateway.counters.requests.sum()).isEqualTo(200);
    }

    /// Clients match answers to requests by their order.
    @Test
    void answersKeepTheOrderOfTheRequests() throws Exception {
        try (TestClient client = gateway.connect();
                TestClient other = gateway.connect()) {
            List<Held> held = new ArrayList<>();
            for (int id = 0; id < 5; id++) {
                client.send(id, "client");
                held.add(gateway.requests.take());
            }
            Collections.reverse(held);
            for (Held request : held.subList(0, 4)) {
                request.answer();
            }
            gateway.pulse(other);
            assertThat(client.available()).isZero();
            held.getLast().answer();
            for (int id = 0; id < 5; id++) {
                assertThat(client.receiveId()).isEqualTo(id);
            }
        }
    }

    /// Q25: acks=0 gets no answer, and holds up nobody behind it.
    @Test
    void aRequestWithoutAnAnswerHoldsUpNobody() throws Exception {
        ProduceRequest produce = ProduceRequest.builder().acks((short) 0).timeoutMs(1000).build();
        try (TestClient client = gateway.connect()) {
            client.send(TestClient.frame(ApiKey.PRODUCE, (short) 9, 1, "client", produce));
            client.send(2, "client");
            Held silent = gateway.requests.take();
            Held loud = gateway.requests.take();
            loud.answer();
            silent.answer(ProduceResponse.builder().build());
            assertThat(client.receiveId()).isEqualTo(2);
        }
    }

    /// Q13: records go from the file to the socket as they are.
    @Test
    void storedRecordsArriveAsTheyAre() throws Exception {
        OsDisk disk = new OsDisk(folder);
        byte[] content = new byte[300_000];
        new Random(1).nextBytes(content);
        DiskFile file = disk.open("segment");
        file.write(ByteBuffer.wrap(content), 0);
        try (TestClient client = gateway.connect()) {
            client.send(fetchFrame(3));
            gateway.requests
                    .take()
                    .answer(
                            response(
                                    slice(file, 10, 200),
                                    new Records.InMemory(ByteBuffer.wrap(content, 0, 50)),
                                    slice(file, 1000, 250_000)));
            ByteBuffer answer = client.receive();
            assertThat(answer.getInt(0)).isEqualTo(3);
            List<byte[]> received = records(answer);
            assertThat(received)
                    .containsExactly(
                            Arrays.copyOfRange(content, 10, 210),
                            Arrays.copyOfRange(content, 0, 50),
                            Arrays.copyOfRange(content, 1000, 251_000));
        }
        file.close();
        Gateway.await(() -> disk.openFiles() == 0);
    }

    @Test
    void aHandlerKnowsWhoAsks() throws Exception {
        try (TestClient client = gateway.connect()) {
            client.send(1, "client");
            Held held = gateway.requests.take();
            assertThat(held.context().listener()).isEqualTo("clients");
            assertThat(held.context().clientAddress()).isEqualTo("127.0.0.1");
            assertThat(held.clientId()).isEqualTo("client");
            held.answer();
            client.receive();
        }
    }

    @Test
    void oneClientsWaitingIsNoOthers() throws Exception {
        try (TestClient slow = gateway.connect();
                TestClient quick = gateway.connect()) {
            slow.send(1, "slow");
            Held held = gateway.requests.take();
            gateway.pulse(quick);
            held.answer();
            assertThat(slow.receiveId()).isEqualTo(1);
        }
    }

    static byte[] fetchFrame(int correlationId) {
        FetchRequest request = FetchRequest.builder().maxWaitMs(1).minBytes(1).build();
        return TestClient.frame(ApiKey.FETCH, (short) 12, correlationId, "client", request);
    }

    static FileSlice slice(DiskFile file, long position, int bytes) {
        file.retain();
        return new FileSlice(file, position, bytes);
    }

    static FetchResponse response(Records... parts) {
        List<PartitionData> partitions = new ArrayList<>();
        for (Records records : parts) {
            partitions.add(
                    PartitionData.builder()
                            .partitionIndex(partitions.size())
                            .records(records)
                            .build());
        }
        return FetchResponse.builder()
                .responses(
                        List.of(new FetchableTopicResponse("orders", new UUID(0, 0), partitions)))
                .build();
    }

    private static List<byte[]> records(ByteBuffer answer) {
        answer.position(4);
        answer.get(); // No tagged fields in the header.
        FetchResponse response = FetchResponse.read(new WireReader(answer), (short) 12);
        List<byte[]> found = new ArrayList<>();
        for (PartitionData partition : response.responses().getFirst().partitions()) {
            if (partition.records() instanceof Records.InMemory(ByteBuffer buffer)) {
                byte[] bytes = new byte[buffer.remaining()];
                buffer.duplicate().get(bytes);
                found.add(bytes);
            }
        }
        return found;
    }
}
