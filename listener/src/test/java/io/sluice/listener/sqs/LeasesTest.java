package io.sluice.listener.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.message.Message;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeasesTest {
    private final Leases leases = new Leases(Duration.ofSeconds(30), Duration.ofMinutes(2));
    private final Message message = new Message("a", new byte[0], Map.of(), null, "q", 1, "a");

    private static long at(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void aLeaseIsRenewedAtAThirdOfItsTime() {
        leases.hold(message, 0);
        assertThat(leases.look(at(9)).renew()).isEmpty();
        Leases.Look look = leases.look(at(12));
        assertThat(look.renew()).containsExactly(message);
        assertThat(look.latenessNanos()).isEqualTo(at(2));

        leases.renewed(message, at(12));
        assertThat(leases.look(at(13)).renew()).isEmpty();
    }

    @Test
    void whatIsNotRenewedInTimeIsLostOnce() {
        leases.hold(message, 0);
        assertThat(leases.look(at(30)).expired()).containsExactly(message);
        assertThat(leases.look(at(31)).expired()).isEmpty();
        assertThat(leases.held()).isZero();
    }

    @Test
    void aJobThatNeverEndsIsGivenUp() {
        leases.hold(message, 0);
        for (int second = 10; second < 120; second += 10) {
            leases.renewed(message, at(second));
        }
        assertThat(leases.look(at(119)).tooLong()).isEmpty();
        assertThat(leases.look(at(120)).tooLong()).containsExactly(message);
    }

    /// Its dead letter may take a while, and until that is safe nobody else is to have it.
    @Test
    void aJobThatIsGivenUpKeepsItsLeaseUntilSomebodyEndsIt() {
        leases.hold(message, 0);
        leases.renewed(message, at(115));
        assertThat(leases.look(at(120)).tooLong()).containsExactly(message);
        assertThat(leases.look(at(121)).tooLong()).as("nobody knows").containsExactly(message);

        leases.toldTooLong(message);
        Leases.Look later = leases.look(at(130));
        assertThat(later.tooLong()).as("somebody knows").isEmpty();
        assertThat(later.renew()).containsExactly(message);

        leases.end(message);
        assertThat(leases.look(at(131)).renew()).isEmpty();
    }

    @Test
    void whatHasEndedIsNotRenewed() {
        leases.hold(message, 0);
        leases.end(message);
        leases.renewed(message, at(1));
        assertThat(leases.look(at(12)).renew()).isEmpty();
    }

    /// A last delivery that waited for its lane beyond the longest job, and then hangs.
    @Test
    void aJobThatBeginsLaterIsGivenUpLater() {
        leases.hold(message, 0);
        leases.renewed(message, at(115));
        assertThat(leases.look(at(120)).tooLong()).containsExactly(message);
        leases.toldTooLong(message);

        leases.begins(message, at(125));
        leases.renewed(message, at(240));
        assertThat(leases.look(at(244)).tooLong()).isEmpty();
        assertThat(leases.look(at(245)).tooLong()).containsExactly(message);
    }
}
