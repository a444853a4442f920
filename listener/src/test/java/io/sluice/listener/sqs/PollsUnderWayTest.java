package io.sluice.listener.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PollsUnderWayTest {
    private final PollsUnderWay polls = new PollsUnderWay(10, Duration.ofSeconds(20));
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
    void smallOnesBeginOneAfterTheOther() {
        assertThat(polls.holdUp(3, at(0))).isFalse();
        polls.begins(one, at(0));
        assertThat(polls.holdUp(3, at(0.1))).isTrue();
        polls.ends(one);
        assertThat(polls.holdUp(3, at(0.1))).isFalse();
    }

    @Test
    void oneForAWholeAnswerIsHeldUpOnlyByOneThatWaits() {
        polls.begins(one, at(0));
        assertThat(polls.holdUp(10, at(0.9))).as("the queue may have more").isFalse();
        assertThat(polls.holdUp(10, at(1))).isTrue();
        polls.begins(other, at(5));
        polls.ends(one);
        assertThat(polls.holdUp(10, at(5.1))).isFalse();
    }

    @Test
    void aPollThatNeverComesBackHoldsUpNobody() {
        polls.begins(one, at(0));
        assertThat(polls.holdUp(1, at(24.9))).isTrue();
        assertThat(polls.holdUp(1, at(25))).isFalse();
    }
}
