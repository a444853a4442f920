package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.membership.Destination;
import io.sluice.outbox.membership.Membership;
import io.sluice.outbox.membership.Membership.Seat;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A relay gives its seat up, and wants one again before its session has looked.
@ExtendWith(Database.Extension.class)
@Timeout(60)
class WithdrawnSeatTest {
    @Test
    void aSeatThatIsGivenUpIsGoneThoughAnotherOneIsWantedAtOnce(Database database)
            throws Exception {
        try (Membership membership = membership(database)) {
            membership.start();
            long before = seat(membership).number();
            membership.withdraw();
            assertThat(membership.seat()).isEmpty();
            membership.start();
            long after = seat(membership).number();
            assertThat(after).isNotEqualTo(before);
            assertThat(database.column("SELECT number FROM outbox_member"))
                    .isEqualTo(List.of("" + after));
        }
    }

    private static Seat seat(Membership membership) throws InterruptedException {
        while (membership.seat().isEmpty()) {
            Thread.sleep(5);
        }
        return membership.seat().orElseThrow();
    }

    private static Membership membership(Database database) {
        return new Membership(
                database,
                "transfer_events",
                "a relay",
                new Destination("topic", "at-least-once"),
                Duration.ofSeconds(3),
                () -> {},
                () -> true);
    }
}
