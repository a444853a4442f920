package io.sluice.listener.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PollsUnderWayTest {
    private final PollsUnderWay polls = new PollsUnderWay(Duration.ofSeconds(20));
    private final Reservation one = room();
    private final Reservation other = room();

    private static Reservation room() {
        return new Reservation() {
            @Override
            public int size() {
                return 1;
            }

            @Override
            public void deliver(List<Message> messages) {}

            @Override
            public boolean deliver(Message message, long comebacks) {
                return true;
            }

            @Override
            public void close() {}
        };
    }

    private static long at(double seconds) {
        return (long) (seconds * 1e9);
    }

    @Test
    void onlyAPollThatIsNotAnsweredForAWhileWaits() {
        polls.begins(one, at(0));
        assertThat(polls.oneWaits(at(0.9))).as("the queue may have something").isFalse();
        assertThat(polls.oneWaits(at(1))).isTrue();
        polls.ends(one);
        assertThat(polls.oneWaits(at(1))).isFalse();
    }

    @Test
    void oneThatWaitsIsEnough() {
        polls.begins(one, at(0));
        polls.begins(other, at(5));
        assertThat(polls.oneWaits(at(5.1))).isTrue();
        polls.ends(one);
        assertThat(polls.oneWaits(at(5.1))).isFalse();
    }

    @Test
    void aPollThatNeverComesBackHoldsUpNobody() {
        polls.begins(one, at(0));
        assertThat(polls.oneWaits(at(24.9))).isTrue();
        assertThat(polls.oneWaits(at(25))).isFalse();
    }
}
