package io.sluice.outbox.set;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Backoff;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(MariaDb.Extension.class)
@Timeout(120)
class SetTablesTest {
    private static final long SELF = 7;

    /// A statement of a session that was given up may have been stuck on its way, and arrive when the lane has gone on.
    @Test
    void whatALostSessionHadAskedForChangesNothingAnyMore(MariaDb database) throws Exception {
        SetTables tables =
                new SetTables(
                        OutboxTable.TRANSFER_EVENTS,
                        new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1)));
        try (Connection connection = database.open()) {
            List<SetLane> before = tables.claim(connection, SELF, 3);
            List<SetLane> again = tables.takeAgain(connection, SELF);
            assertThat(again)
                    .extracting(SetLane::number)
                    .containsExactlyInAnyOrderElementsOf(
                            before.stream().map(SetLane::number).toList());
            assertThat(tables.save(connection, before)).isFalse();
            assertThat(tables.save(connection, again)).isTrue();
        }
    }
}
