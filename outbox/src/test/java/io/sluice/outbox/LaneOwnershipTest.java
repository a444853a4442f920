package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.membership.LaneOwnership;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Database.Extension.class)
@Timeout(60)
class LaneOwnershipTest {
    private static final long SELF = 7;

    /// A statement of a session that was given up may have been stuck on its way, and arrive when the lane has gone on.
    @Test
    void whatALostSessionHadAskedForChangesNothingAnyMore(Database database) throws Exception {
        LaneOwnership ownership = new LaneOwnership("transfer_events");
        try (Connection connection = database.open()) {
            List<Lane> before = ownership.claim(connection, SELF, List.of(), 3);
            List<Lane> again = ownership.takeAgain(connection, SELF);
            assertThat(again)
                    .extracting(Lane::number)
                    .containsExactlyInAnyOrderElementsOf(
                            before.stream().map(Lane::number).toList());
            assertThat(ownership.save(connection, SELF, before)).hasSize(3);
            assertThat(ownership.save(connection, SELF, again)).isEmpty();
        }
    }
}
