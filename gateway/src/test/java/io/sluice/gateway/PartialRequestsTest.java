package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PartialRequestsTest {
    private final ArrayDeque<Runnable> timers = new ArrayDeque<>();
    private final List<String> resumed = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();
    private final PartialRequests requests = new PartialRequests(1_000, new Timers());

    private PartialRequests.Arrival arrival(String name) {
        return requests.arrivals(() -> resumed.add(name), () -> closed.add(name));
    }

    @Test
    void belowTheLimitNobodyWaits() {
        PartialRequests.Arrival one = arrival("one");
        PartialRequests.Arrival two = arrival("two");
        one.holds(500);
        two.holds(500);
        assertThat(one.mustWait()).isFalse();
        assertThat(two.mustWait()).isFalse();
        assertThat(timers).isEmpty();
    }

    @Test
    void aboveItOnlyTheFirstIsReadOnAndTheOthersFollowOneByOne() {
        PartialRequests.Arrival one = arrival("one");
        PartialRequests.Arrival two = arrival("two");
        PartialRequests.Arrival three = arrival("three");
        one.holds(600);
        two.holds(600);
        three.holds(600);
        assertThat(one.mustWait()).isFalse();
        assertThat(two.mustWait()).isTrue();
        assertThat(three.mustWait()).isTrue();

        one.holds(0); // Complete.
        assertThat(resumed).containsExactly("two");
        two.holds(0);
        assertThat(resumed).containsExactly("two", "three");
        assertThat(requests.bytes()).isEqualTo(600);
    }

    @Test
    void aRequestThatArrivesWholeIsNeverHeldUp() {
        arrival("slow").holds(5_000);
        PartialRequests.Arrival healthy = arrival("healthy");
        healthy.holds(0);
        assertThat(healthy.mustWait()).isFalse();
    }

    @Test
    void theFirstInLineMustMakeProgressOrGoes() {
        PartialRequests.Arrival stuck = arrival("stuck");
        PartialRequests.Arrival next = arrival("next");
        stuck.holds(900);
        next.holds(900);
        assertThat(next.mustWait()).isTrue();
        stuck.holds(901);
        timers.poll().run();
        assertThat(closed).containsExactly("stuck");

        stuck.end();
        assertThat(resumed).containsExactly("next");
    }

    @Test
    void whoSendsOnMayTakeAsLongAsItNeeds() {
        PartialRequests.Arrival large = arrival("large");
        int held = 2_000;
        large.holds(held);
        for (int check = 0; check < 10; check++) {
            held += 70_000;
            large.holds(held);
            timers.poll().run();
        }
        assertThat(closed).isEmpty();
    }

    @Test
    void aConnectionThatEndsGivesItsBytesBack() {
        PartialRequests.Arrival gone = arrival("gone");
        PartialRequests.Arrival waiting = arrival("waiting");
        gone.holds(900);
        waiting.holds(900);
        assertThat(waiting.mustWait()).isTrue();
        gone.end();
        assertThat(resumed).containsExactly("waiting");
        waiting.end();
        assertThat(requests.bytes()).isZero();
        timers.poll().run();
        assertThat(timers).isEmpty();
    }

    private final class Timers implements Mailbox {
        @Override
        public void post(Runnable work) {
            throw new AssertionError("nothing is posted");
        }

        @Override
        public boolean isCurrent() {
            return true;
        }

        @Override
        public Timer schedule(Duration delay, Runnable work) {
            timers.add(work);
            return () -> timers.remove(work);
        }
    }
}
