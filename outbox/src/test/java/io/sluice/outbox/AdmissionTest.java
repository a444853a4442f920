package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.membership.Destination;
import io.sluice.outbox.membership.Membership;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.publishing.Sender;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.PGConnection;

/// A relay waits outside until the broker answers it.
@ExtendWith(Database.Extension.class)
@Timeout(60)
class AdmissionTest {
    /// The others would leave lanes to it, and it would find out only then.
    @Test
    void whoseSessionWasLostWhileItWaitedTakesNoSeat(Database database) throws Exception {
        AtomicBoolean started = new AtomicBoolean();
        ConnectionSource seats =
                () -> {
                    started.set(true); // As it is ended, at the latest.
                    return database.open();
                };
        try (Membership membership = membership(seats);
                Connection connection = database.open();
                Sender sender = new AnswersTheSecondTime(() -> endSession(database, connection))) {
            Waking waking = new Waking();
            RelayStatus status = new RelayStatus(_ -> {}, () -> 0);
            var admission = new Admission(membership, "transfer_events", waking, status, () -> {});
            assertThatThrownBy(() -> admission.enter(connection, sender))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(started).isFalse();
    }

    private static void endSession(Database database, Connection connection) {
        try {
            int process = connection.unwrap(PGConnection.class).getBackendPID();
            database.run("SELECT pg_terminate_backend(%d)".formatted(process));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Membership membership(ConnectionSource seats) {
        return new Membership(
                seats,
                "transfer_events",
                "a relay",
                new Destination("topic", "at-least-once"),
                Duration.ofSeconds(3),
                () -> {},
                () -> true);
    }

    /// A broker that is away when it is asked first.
    private static final class AnswersTheSecondTime implements Sender {
        private final Runnable meanwhile;
        private boolean asked;

        AnswersTheSecondTime(Runnable meanwhile) {
            this.meanwhile = meanwhile;
        }

        @Override
        public Optional<Refusal> prepare() {
            if (asked) {
                return Optional.empty();
            }
            asked = true;
            meanwhile.run();
            return Optional.of(new Refusal.Transport("away"));
        }

        @Override
        public Outcome publish(
                List<Numbered> events, BooleanSupplier goOn, Supplier<List<Numbered>> behind) {
            throw new IllegalStateException("nothing to publish");
        }

        @Override
        public void close() {}
    }
}
