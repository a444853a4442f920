package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.HeldRequests.Held;
import io.sluice.kafka.wire.ApiKey;
import io.sluice.kafka.wire.message.MetadataRequest;
import io.sluice.kafka.wire.message.MetadataRequest.MetadataRequestTopic;
import io.sluice.record.Records;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// At each limit: a closed connection where the client is wrong, an unread socket where it is only too fast, and everybody else served.
class GatewayLimitsTest {
    private Gateway gateway = new Gateway(Gateway.ROOMY);

    private void limit(GatewayConfig config) {
        gateway.close();
        gateway = new Gateway(config);
    }

    @AfterEach
    void nothingIsLeftBehind() {
        gateway.close();
        assertThat(gateway.bugs).isEmpty();
    }

    @AfterAll
    static void noBufferIsLeftBehind() {
        assertThat(Leaks.take()).isEmpty();
    }

    @Test
    void aRequestThatIsTooLargeClosesItsConnectionOnly() throws Exception {
        limit(new GatewayConfig(100, 100, 2048, 100, 1 << 20, Duration.ofHours(1)));
        try (TestClient greedy = gateway.connect();
                TestClient modest = gateway.connect()) {
            greedy.send(ByteBuffer.allocate(4).putInt(2049).array());
            assertThat(greedy.isClosed()).isTrue();
            gateway.pulse(modest);
            modest.send(1, "x".repeat(2048 - 10));
            gateway.requests.take().answer();
            assertThat(modest.receiveId()).isEqualTo(1);
        }
        assertThat(gateway.counters.requestsMalformed.sum()).isEqualTo(1);
    }

    @Test
    void withTooManyRequestsInFlightTheSocketIsNotRead() throws Exception {
        limit(new GatewayConfig(100, 100, 1 << 20, 2, 64 << 20, Duration.ofHours(1)));
        try (TestClient client = gateway.connect();
                TestClient other = gateway.connect()) {
            client.send(1, "client");
            Held first = gateway.requests.take();
            client.send(2, "client");
            Held second = gateway.requests.take();
            client.send(3, "client");
            gateway.pulse(other);
            assertThat(gateway.requests.waiting()).isZero();
            assertThat(gateway.counters.readsPaused.sum()).isEqualTo(1);

            first.answer();
            assertThat(client.receiveId()).isEqualTo(1);
            Held third = gateway.requests.take();
            second.answer();
            third.answer();
            assertThat(client.receiveId()).isEqualTo(2);
            assertThat(client.receiveId()).isEqualTo(3);
        }
    }

    /// One read may bring thousands of requests, which must not all be worked on for that.
    @Test
    void requestsThatArriveTogetherAreTakenWithinTheLimitToo() throws Exception {
        limit(new GatewayConfig(100, 100, 1 << 20, 3, 64 << 20, Duration.ofHours(1)));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int id = 0; id < 50; id++) {
            all.writeBytes(TestClient.frame(id, "client"));
        }
        try (TestClient client = gateway.connect();
                TestClient other = gateway.connect()) {
            client.send(all.toByteArray());
            Deque<Held> taken = new ArrayDeque<>();
            for (int id = 0; id < 50; id++) {
                if (taken.isEmpty()) {
                    taken.add(gateway.requests.take());
                }
                gateway.pulse(other);
                while (gateway.requests.waiting() > 0) {
                    taken.add(gateway.requests.take());
                }
                assertThat(taken.size()).isBetween(1, 3);
                taken.remove().answer();
                assertThat(client.receiveId()).isEqualTo(id);
            }
        }
    }

    /// Answered out of order, a request still holds its place until its answer can be sent.
    @Test
    void anAnswerThatWaitsForItsTurnCountsAsInFlight() throws Exception {
        limit(new GatewayConfig(100, 100, 1 << 20, 2, 64 << 20, Duration.ofHours(1)));
        try (TestClient client = gateway.connect();
                TestClient other = gateway.connect()) {
            client.send(1, "client");
            Held first = gateway.requests.take();
            client.send(2, "client");
            gateway.requests.take().answer();
            client.send(3, "client");
            gateway.pulse(other);
            assertThat(gateway.requests.waiting()).isZero();
            first.answer();
            gateway.requests.take().answer();
            for (int id = 1; id <= 3; id++) {
                assertThat(client.receiveId()).isEqualTo(id);
            }
        }
    }

    @Test
    void theBytesInFlightOfAllConnectionsTogetherAreBounded() throws Exception {
        limit(new GatewayConfig(100, 100, 1 << 20, 100, 4000, Duration.ofHours(1)));
        try (TestClient large = gateway.connect()) {
            large.send(1, "x".repeat(5000));
            assertOthersWaitUntilAnswered(large);
        }
    }

    /// A thousand names take some 200 KiB in memory, and the loop has an eighth of what the process has.
    @Test
    void whatRequestsTakeInMemoryIsBoundedForAllConnectionsTogether() throws Exception {
        gateway.close();
        gateway = new Gateway(Gateway.ROOMY, 1 << 20);
        try (TestClient large = gateway.connect()) {
            large.send(namesFrame(1, 1000));
            assertOthersWaitUntilAnswered(large);
        }
    }

    /// The one request of this client takes all that there is.
    private void assertOthersWaitUntilAnswered(TestClient large) throws Exception {
        try (TestClient small = gateway.connect()) {
            Held held = gateway.requests.take();
            small.send(2, "small"); // Known only once it is read; after that its socket waits.
            Held second = gateway.requests.take();
            small.send(3, "small");
            second.answer();
            assertThat(small.receiveId()).isEqualTo(2);
            assertThat(gateway.counters.readsPaused.sum()).isEqualTo(2);
            assertThat(gateway.requests.waiting()).isZero();

            held.answer();
            assertThat(large.receiveId()).isEqualTo(1);
            gateway.requests.take().answer();
            assertThat(small.receiveId()).isEqualTo(3);
            gateway.pulse(large);
        }
    }

    /// One request for each connection would be one too many where there are thousands of them.
    @Test
    void atTwiceThatNothingIsDecodedAnyMore() throws Exception {
        gateway.close();
        gateway = new Gateway(Gateway.ROOMY, 1 << 20);
        try (TestClient larger = gateway.connect();
                TestClient small = gateway.connect()) {
            gateway.pulse(small);
            larger.send(namesFrame(1, 2000));
            Held held = gateway.requests.take();
            small.send(2, "small");
            Gateway.await(() -> gateway.counters.readsPaused.sum() == 2);
            assertThat(gateway.requests.waiting()).isZero();

            held.answer();
            assertThat(larger.receiveId()).isEqualTo(1);
            gateway.requests.take().answer();
            assertThat(small.receiveId()).isEqualTo(2);
        }
    }

    @Test
    void aRequestThatWouldTakeTooMuchMemoryClosesItsConnectionOnly() throws Exception {
        gateway.close();
        gateway = new Gateway(Gateway.ROOMY, 1 << 20);
        try (TestClient greedy = gateway.connect();
                TestClient modest = gateway.connect()) {
            greedy.send(namesFrame(1, 50_000));
            assertThat(greedy.isClosed()).isTrue();
            modest.send(namesFrame(2, 5_000));
            gateway.requests.take().answer();
            assertThat(modest.receiveId()).isEqualTo(2);
            gateway.pulse(modest);
        }
        assertThat(gateway.counters.requestsMalformed.sum()).isEqualTo(1);
    }

    private static byte[] namesFrame(int correlationId, int names) {
        MetadataRequestTopic topic = MetadataRequestTopic.builder().name("topic-name").build();
        MetadataRequest request =
                MetadataRequest.builder().topics(Collections.nCopies(names, topic)).build();
        return TestClient.frame(ApiKey.METADATA, (short) 1, correlationId, "client", request);
    }

    /// What its owner does not come for any more must not be charged to the others.
    @Test
    void theBytesOfAConnectionThatEndsAreGivenBackWithItsAnswer() throws Exception {
        limit(new GatewayConfig(100, 100, 1 << 20, 100, 4000, Duration.ofHours(1)));
        try (TestClient other = gateway.connect()) {
            Held held;
            try (TestClient large = gateway.connect()) {
                large.send(1, "x".repeat(5000));
                held = gateway.requests.take();
            }
            Gateway.await(() -> gateway.counters.connectionsOpen.sum() == 1);
            held.answer();
            other.send(2, "other");
            Held second = gateway.requests.take();
            other.send(3, "other");
            gateway.requests.take().answer();
            second.answer();
            assertThat(other.receiveId()).isEqualTo(2);
            assertThat(other.receiveId()).isEqualTo(3);
        }
    }

    /// A client that does not read its answers is not served more of them.
    @Test
    void withTooMuchUnsentTheSocketIsNotRead() throws Exception {
        int answers = 16;
        try (TestClient client = gateway.connectNarrow();
                TestClient other = gateway.connect()) {
            for (int id = 0; id < answers; id++) {
                client.send(GatewayTest.fetchFrame(id));
            }
            Deque<Held> taken = new ArrayDeque<>(); // All of them, before the first large answer.
            while (taken.size() < answers) {
                taken.add(gateway.requests.take());
            }
            byte[] large = new byte[1 << 20];
            for (Held held : taken) {
                Records records = new Records.InMemory(ByteBuffer.wrap(large));
                held.answer(GatewayTest.response(records));
            }
            gateway.pulse(other);
            assertThat(gateway.counters.readsPaused.sum()).isPositive();
            client.send(99, "client");
            gateway.pulse(other);
            assertThat(gateway.requests.waiting()).isZero();
            for (int id = 0; id < answers; id++) {
                assertThat(client.receiveId()).isEqualTo(id);
            }
            gateway.requests.take().answer();
            assertThat(client.receiveId()).isEqualTo(99);
        }
    }

    @Test
    void aConnectionTooManyIsClosedUntilAnotherLeaves() throws Exception {
        limit(new GatewayConfig(2, 100, 1 << 20, 100, 64 << 20, Duration.ofHours(1)));
        try (TestClient stays = gateway.connect()) {
            gateway.pulse(stays);
            try (TestClient leaves = gateway.connect()) {
                gateway.pulse(leaves);
                try (TestClient refused = gateway.connect()) {
                    assertThat(refused.isClosed()).isTrue();
                }
                assertThat(gateway.counters.connectionsRefused.sum()).isEqualTo(1);
            }
            Gateway.await(() -> gateway.counters.connectionsOpen.sum() == 1);
            try (TestClient next = gateway.connect()) {
                gateway.pulse(next);
            }
            gateway.pulse(stays);
        }
    }

    @Test
    void oneAddressCannotTakeAllConnections() throws Exception {
        limit(new GatewayConfig(100, 1, 1 << 20, 100, 64 << 20, Duration.ofHours(1)));
        try (TestClient first = gateway.connect()) {
            gateway.pulse(first);
            try (TestClient again = gateway.connect()) {
                assertThat(again.isClosed()).isTrue();
            }
            try (TestClient elsewhere = fromAnotherAddress()) {
                gateway.pulse(elsewhere);
            }
        }
    }

    private TestClient fromAnotherAddress() throws IOException {
        TestClient client = null;
        try {
            client = gateway.connectFrom(InetAddress.getByAddress(new byte[] {127, 0, 0, 2}));
        } catch (BindException e) {
            assumeTrue(false, "this machine has one loopback address only");
        }
        return Objects.requireNonNull(client);
    }

    /// The later one is closed; had the earlier one's time counted while it waits for an answer, it would have been closed before.
    @Test
    void anIdleConnectionIsClosedButNotOneThatWaitsForItsAnswer() throws Exception {
        limit(new GatewayConfig(100, 100, 1 << 20, 100, 64 << 20, Duration.ofMillis(100)));
        try (TestClient waiting = gateway.connect()) {
            waiting.send(1, "waiting");
            Held held = gateway.requests.take();
            try (TestClient idle = gateway.connect()) {
                assertThat(idle.isClosed()).isTrue();
            }
            try (TestClient idle = gateway.connect()) {
                assertThat(idle.isClosed()).isTrue();
            }
            assertThat(gateway.counters.connectionsIdleClosed.sum()).isEqualTo(2);
            held.answer();
            assertThat(waiting.receiveId()).isEqualTo(1);
        }
    }

    /// A client that begins a request and never ends it.
    @Test
    void halfARequestIsIdleToo() throws Exception {
        limit(new GatewayConfig(100, 100, 1 << 20, 100, 64 << 20, Duration.ofMillis(100)));
        try (TestClient half = gateway.connect()) {
            byte[] frame = TestClient.frame(1, "half");
            half.send(frame, 0, frame.length - 1);
            assertThat(half.isClosed()).isTrue();
        }
    }
}
