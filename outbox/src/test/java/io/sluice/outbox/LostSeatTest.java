package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.membership.Destination;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.membership.Membership;
import io.sluice.outbox.operating.Migration;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// The session of a seat is lost, and its relay is alive: others may have its lanes at once.
@ExtendWith(Database.Extension.class)
@Timeout(60)
class LostSeatTest {
    private static final int LANES = 64;

    /// Has lanes, and no seat.
    private static final long GHOST = 1_000_000;

    private final LaneOwnership ownership = new LaneOwnership("transfer_events");

    /// Not even until what is left of the session is put away.
    @Test
    void theSeatIsGoneWithIt(Database database) throws Exception {
        CompletableFuture<Membership> started = new CompletableFuture<>();
        CompletableFuture<Boolean> seatedAtTheEnd = new CompletableFuture<>();
        CountDownLatch seated = new CountDownLatch(1);
        ConnectionSource watched =
                () -> watched(database.open(), () -> hasSeat(started), seatedAtTheEnd);
        try (Membership membership =
                new Membership(
                        watched,
                        "transfer_events",
                        "one",
                        new Destination("topic", "at-least-once"),
                        Duration.ofMinutes(10),
                        seated::countDown,
                        () -> true)) {
            started.complete(membership);
            membership.start();
            seated.await();
            assertThat(membership.seat()).isPresent();
            database.run(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 'outbox_member'::regclass::oid AND mode = 'ExclusiveLock' AND granted");
            assertThat(seatedAtTheEnd.get()).isFalse();
        }
    }

    private static boolean hasSeat(CompletableFuture<Membership> membership) {
        return membership.join().seat().isPresent();
    }

    /// A connection of which is noted what holds when it is closed.
    private static Connection watched(
            Connection real, BooleanSupplier condition, CompletableFuture<Boolean> held) {
        return (Connection)
                Proxy.newProxyInstance(
                        LostSeatTest.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("close")) {
                                held.complete(condition.getAsBoolean());
                            }
                            try {
                                return method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause() == null ? e : e.getCause();
                            }
                        });
    }

    @Test
    void whatCompatModePublishesItCannotBeginToPublish(Database database) throws Exception {
        try (Connection connection = database.open()) {
            List<Lane> lanes = ownership.claim(connection, GHOST, List.of(), LANES);
            new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(20));

            assertThat(beginSome(connection, lanes)).isFalse();
        }
    }

    /// Between the look at the lanes and the lock of the table, which somebody else has.
    @Test
    void compatModeDoesNotBeginWhereItHasBegun(Database database) throws Exception {
        OpenTransaction writer = OpenTransaction.begin(database, "a");
        try (Connection connection = database.open()) {
            List<Lane> lanes = ownership.claim(connection, GHOST, List.of(), LANES);
            Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
            CompletableFuture<Void> changing =
                    CompletableFuture.runAsync(() -> toCompat(migration));
            String waiting =
                    "SELECT count(*) FROM pg_locks WHERE relation = 'transfer_events'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted";
            while (database.number(waiting) == 0) {
                assertThat(changing.isDone()).as("it has waited for nobody").isFalse();
                Thread.sleep(5);
            }
            assertThat(beginSome(connection, lanes)).isTrue();
            writer.writeAndCommit();
            assertThatThrownBy(changing::get)
                    .hasMessageContaining("a relay publishes again in 3 lanes");
            assertThat(migration.state().wanted().word()).isEqualTo("log");
        }
    }

    private static void toCompat(Migration migration) {
        try {
            migration.toCompat(Duration.ofSeconds(20));
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// @return whether it may
    private boolean beginSome(Connection connection, List<Lane> lanes) throws SQLException {
        List<Lane> some = lanes.subList(0, 3);
        some.forEach(lane -> lane.open("1000000:1000000:"));
        return ownership.save(connection, GHOST, some).isEmpty();
    }
}
