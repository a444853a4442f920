package io.sluice.outbox.wal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.OutboxTable;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.replication.PGReplicationStream;

@Timeout(60)
class WalStreamTest {
    /// Whoever takes what has come would otherwise wait for more, and nobody would know.
    @Test
    void anErrorOfTheMachineEndsTheStream() {
        PGReplicationStream failing =
                failing(PGReplicationStream.class, new OutOfMemoryError("a large row"));
        Connection connection = failing(Connection.class, new IllegalStateException("not used"));
        WalStream stream =
                WalStream.begin(
                        connection,
                        failing,
                        OutboxTable.TRANSFER_EVENTS,
                        0,
                        new WalStream.Room(10, 1_000));
        assertThatThrownBy(
                        () -> {
                            while (stream.take(Duration.ofMillis(10)).isEmpty()) {
                                Thread.onSpinWait();
                            }
                        })
                .hasMessageContaining("the stream has ended")
                .hasMessageContaining("a large row");
    }

    private static <T> T failing(Class<T> type, Throwable failure) {
        return type.cast(
                Proxy.newProxyInstance(
                        WalStreamTest.class.getClassLoader(),
                        new Class<?>[] {type},
                        (_, _, _) -> {
                            throw failure;
                        }));
    }
}
