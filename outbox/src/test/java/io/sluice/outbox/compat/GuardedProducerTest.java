package io.sluice.outbox.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.publishing.LeftBehind;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A session that is asked while a batch is on its way, and what may come of that (O6).
@Timeout(60)
class GuardedProducerTest {
    private final CountDownLatch thrownAway = new CountDownLatch(1);

    static List<Throwable> answers() {
        return List.of(
                new SQLException("the connection is gone"),
                new IllegalStateException("a pool's own: the connection was evicted"),
                new OutOfMemoryError("not a byte"));
    }

    /// Others may have the part by now.
    @ParameterizedTest
    @MethodSource("answers")
    void whoCannotAskItsSessionSendsNothingMore(Throwable answer) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Connection session = session(asked, answer);
        try (GuardedProducer guarded =
                new GuardedProducer(
                        session, new Told(), new LeftBehind(), Duration.ofMinutes(10))) {
            guarded.begin();
            thrownAway.await();
            assertThat(asked).hasValue(2);
            assertThat(guarded.isLost()).isTrue();
        }
    }

    /// Whoever asks is about to tell of another failure, which must not be lost.
    @ParameterizedTest
    @MethodSource("answers")
    void aSessionThatCannotBeAskedCountsAsGone(Throwable answer) {
        Connection session = session(new AtomicInteger(1), answer);
        assertThat(GuardedProducer.isThere(session)).isFalse();
    }

    /// Tells when it is closed.
    private final class Told extends MockProducer<byte[], byte[]> {
        Told() {
            super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public void close(Duration timeout) {
            super.close(timeout);
            thrownAway.countDown();
        }
    }

    /// Answers once.
    private static Connection session(AtomicInteger asked, Throwable afterwards) {
        return (Connection)
                Proxy.newProxyInstance(
                        GuardedProducerTest.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, _) -> {
                            if (!method.getName().equals("isValid")) {
                                throw new UnsupportedOperationException(method.getName());
                            }
                            if (asked.incrementAndGet() == 1) {
                                return true;
                            }
                            throw afterwards;
                        });
    }
}
