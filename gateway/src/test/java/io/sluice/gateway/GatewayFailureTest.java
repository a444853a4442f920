package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.env.os.OsDisk;
import io.sluice.gateway.HeldRequests.Held;
import io.sluice.kafka.api.Peer;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.WireWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bugs, clients that go away and disks that fail end one connection, hold on to nothing, and are nobody else's business.
class GatewayFailureTest {
    @TempDir Path folder;
    private Gateway gateway;
    private TestClient bystander;

    @BeforeEach
    void open() throws Exception {
        gateway = new Gateway(new GatewayConfig(9, 9, 1 << 20, 9, 4000, Duration.ofHours(1)));
        bystander = gateway.connect();
        gateway.pulse(bystander);
    }

    @AfterEach
    void nothingIsLeftBehind() throws Exception {
        gateway.pulse(bystander);
        bystander.send(
                1, "y".repeat(3000)); // Bytes that nobody gave back would make it one too many.
        Held large = gateway.requests.take();
        bystander.send(2, "small");
        gateway.requests.take().answer();
        large.answer();
        assertThat(bystander.receiveId()).isEqualTo(1);
        assertThat(bystander.receiveId()).isEqualTo(2);
        bystander.close();
        gateway.close();
    }

    @AfterAll
    static void noBufferIsLeftBehind() {
        assertThat(Leaks.take()).isEmpty();
    }

    @Test
    void aFailedReplyClosesItsConnectionOnly() throws Exception {
        try (TestClient client = gateway.connect()) {
            client.send(1, "x".repeat(2000));
            gateway.requests.take().fail(new IllegalStateException("a bug"));
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void aHandlerThatThrowsClosesItsConnectionOnly() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (TestClient client = gateway.connect()) {
                client.send(1, HeldRequests.POISON + "x".repeat(2000));
                assertThat(client.isClosed()).isTrue();
            }
        }
    }

    @Test
    void aMalformedRequestClosesItsConnectionOnly() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (TestClient client = gateway.connect()) {
                byte[] frame = new byte[2004];
                ByteBuffer.wrap(frame).putInt(2000).putShort((short) 0).putShort((short) 9);
                client.send(frame);
                assertThat(client.isClosed()).isTrue();
            }
        }
        assertThat(gateway.counters.requestsMalformed.sum()).isEqualTo(3);
        assertThat(gateway.counters.readsPaused.sum()).as("closed, not paused").isZero();
    }

    /// The requests before it that are not answered yet are given up with the connection.
    @Test
    void aFailureGivesUpWhatCameBefore() throws Exception {
        try (TestClient client = gateway.connect()) {
            client.send(1, "first");
            Held first = gateway.requests.take();
            client.send(2, "second");
            gateway.requests.take().fail(new IllegalStateException("a bug"));
            assertThat(client.isClosed()).isTrue();
            first.answer();
        }
    }

    /// @param error true for what Netty throws when it has no memory left for an answer
    private record CannotBeWritten(boolean error) implements ApiResponse {
        @Override
        public short apiKey() {
            return 18;
        }

        @Override
        public void write(WireWriter out, short version) {
            out.writeInt(1);
            if (error) {
                throw new OutOfMemoryError("no direct memory, for once");
            }
            throw new IllegalStateException("a field that this version cannot express");
        }
    }

    @Test
    void anAnswerThatCannotBeWrittenClosesItsConnection() throws Exception {
        try (TestClient client = gateway.connect()) {
            client.send(1, "client");
            gateway.requests.take().answer(new CannotBeWritten(false));
            assertThat(client.isClosed()).isTrue();
        }
    }

    /// Clients match answers by order: with one missing, those behind it would be taken for it.
    @Test
    void anAnswerForWhichThereIsNoMemoryTakesThoseBehindItAlong() throws Exception {
        try (TestClient client = gateway.connect()) {
            client.send(1, "client");
            Held first = gateway.requests.take();
            client.send(2, "client");
            gateway.requests.take().answer();
            first.answer(new CannotBeWritten(true));
            assertThat(client.isClosed()).isTrue();
        }
    }

    /// Half an answer is worse than none: the client would take the next one's bytes for the rest of it.
    @Test
    void recordsThatCannotBeReadCloseTheConnection() throws Exception {
        OsDisk disk = new OsDisk(folder);
        DiskFile file = disk.open("segment");
        file.write(ByteBuffer.allocate(1000), 0);
        try (TestClient client = gateway.connect()) {
            client.send(GatewayTest.fetchFrame(1));
            file.retain();
            gateway.requests
                    .take()
                    .answer(
                            GatewayTest.response(
                                    GatewayTest.slice(file, 0, 100),
                                    GatewayTest.slice(new Unreadable(file), 0, 100),
                                    GatewayTest.slice(file, 0, 100)));
            assertThat(client.isClosed()).isTrue();
        }
        file.close();
        file.close();
        Gateway.await(() -> disk.openFiles() == 0);
    }

    /// Otherwise a deleted segment would never leave the disk.
    @Test
    void anAnswerToAClientThatIsGoneIsReleased() throws Exception {
        OsDisk disk = new OsDisk(folder);
        DiskFile file = disk.open("segment");
        file.write(ByteBuffer.allocate(100_000), 0);
        Held first;
        Held late;
        try (TestClient client = gateway.connect()) {
            client.send(1, "answered last");
            first = gateway.requests.take();
            client.send(GatewayTest.fetchFrame(2));
            Held early = gateway.requests.take();
            early.answer(GatewayTest.response(GatewayTest.slice(file, 0, 50_000)));
            client.send(GatewayTest.fetchFrame(3));
            late = gateway.requests.take();
        }
        Gateway.await(() -> gateway.counters.connectionsOpen.sum() == 1);
        late.answer(GatewayTest.response(GatewayTest.slice(file, 50_000, 50_000)));
        first.answer();
        file.close();
        Gateway.await(() -> disk.openFiles() == 0);
    }

    /// A client that leaves in the middle of a large answer.
    @Test
    void anAnswerThatIsHalfSentIsReleased() throws Exception {
        OsDisk disk = new OsDisk(folder);
        DiskFile file = disk.open("segment");
        file.write(ByteBuffer.allocate(64 << 20), 0);
        try (TestClient client = gateway.connect()) {
            client.send(GatewayTest.fetchFrame(1));
            gateway.requests
                    .take()
                    .answer(GatewayTest.response(GatewayTest.slice(file, 0, 64 << 20)));
            Gateway.await(() -> availableOf(client) > 0);
        }
        file.close();
        Gateway.await(() -> disk.openFiles() == 0);
        Gateway.await(() -> gateway.counters.connectionsOpen.sum() == 1);
    }

    /// Q16: a fetch that waits for messages ends with its connection, not with its time.
    @Test
    void whateverWaitsForAClientEndsWithItsConnection() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Held held;
        try (TestClient client = gateway.connect()) {
            client.send(1, "client");
            held = gateway.requests.take();
            Peer peer = held.context().peer();
            peer.home().run(() -> peer.waiting(ended::countDown));
            client.send(2, "client");
            gateway.requests.take().answer();
        }
        assertThat(ended.await(Gateway.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        held.answer();
    }

    private static int availableOf(TestClient client) {
        try {
            return client.available();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A file whose disk fails.
    private static final class Unreadable implements DiskFile {
        private final DiskFile file;

        Unreadable(DiskFile file) {
            this.file = file;
        }

        @Override
        public String path() {
            return file.path();
        }

        @Override
        public void write(ByteBuffer source, long position) {
            file.write(source, position);
        }

        @Override
        public int read(ByteBuffer target, long position) {
            throw new DiskException(DiskException.Kind.IO, path(), "the disk failed");
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void truncate(long size) {
            file.truncate(size);
        }

        @Override
        public void force() {
            file.force();
        }

        @Override
        public void retain() {
            file.retain();
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
