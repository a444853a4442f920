package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// How a listener stops while clients wait for answers.
class StopTest {
    private static final Duration LONG = Duration.ofSeconds(Gateway.PATIENCE_SECONDS);

    private final Gateway gateway = new Gateway(Gateway.ROOMY);

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
    void answersThatAreOwedLeaveBeforeTheConnectionEnds() throws Exception {
        try (TestClient idle = gateway.connect();
                TestClient waiting = gateway.connect()) {
            gateway.pulse(idle);
            waiting.send(7, "first");
            waiting.send(8, "second");
            HeldRequests.Held first = gateway.requests.take();
            HeldRequests.Held second = gateway.requests.take();
            Thread stop = Thread.ofVirtual().start(() -> gateway.stop(LONG));
            assertThat(idle.isClosed()).as("nothing is owed to it").isTrue();
            second.answer();
            first.answer();
            assertThat(waiting.receiveId()).isEqualTo(7);
            assertThat(waiting.receiveId()).isEqualTo(8);
            assertThat(waiting.isClosed()).isTrue();
            stop.join();
        }
    }

    @Test
    void whoeverIsNotAnsweredInTimeIsNotWaitedFor() throws Exception {
        try (TestClient waiting = gateway.connect()) {
            waiting.send(7, "waits");
            HeldRequests.Held held = gateway.requests.take();
            gateway.stop(Duration.ofMillis(1));
            assertThat(waiting.isClosed()).isTrue();
            held.answer();
        }
    }

    /// For a broker that is out of touch: its clients go to the others, with all that they were owed.
    @Test
    void whoeverIsTurnedAwayGetsWhatItIsOwedAndNothingMore() throws Exception {
        try (TestClient waiting = gateway.connect();
                TestClient other = gateway.connect()) {
            waiting.send(7, "first");
            waiting.send(8, "second");
            HeldRequests.Held first = gateway.requests.take();
            HeldRequests.Held second = gateway.requests.take();
            second.context().peer().turnAway();
            second.answer();
            gateway.pulse(other);
            waiting.send(9, "too late");
            gateway.pulse(other);
            assertThat(gateway.requests.waiting()).isZero();
            first.answer();
            assertThat(waiting.receiveId()).isEqualTo(7);
            assertThat(waiting.receiveId()).isEqualTo(8);
            assertThat(waiting.isClosed()).isTrue();
            gateway.pulse(other);
        }
    }
}
