package io.sluice.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Nothing that is thrown on the way is lost: who waits is told, and the mailbox hears of the bug.
class CrossingTest {
    private final IllegalStateException bug = new IllegalStateException("a bug");

    private final Desk there = new Desk();
    private final Desk home = new Desk();

    /// A mailbox that runs when the test says so, and notes what its work throws.
    private static final class Desk implements Mailbox {
        private final ArrayDeque<Runnable> posted = new ArrayDeque<>();
        private final List<Throwable> bugs = new ArrayList<>();
        private boolean running;

        @Override
        public void post(Runnable work) {
            posted.add(work);
        }

        @Override
        public boolean isCurrent() {
            return running;
        }

        @Override
        public Timer schedule(Duration delay, Runnable work) {
            throw new UnsupportedOperationException("nobody waits here");
        }

        void turn() {
            for (Runnable work = posted.poll(); work != null; work = posted.poll()) {
                running = true;
                try {
                    work.run();
                } catch (RuntimeException | Error bug) {
                    bugs.add(bug);
                } finally {
                    running = false;
                }
            }
        }
    }

    private void settle() {
        there.turn();
        home.turn();
        there.turn();
    }

    private static Reply<String> fail(RuntimeException failure) {
        throw failure;
    }

    private void meetABug() {
        throw bug;
    }

    @Test
    void anAnswerComesHome() {
        Reply<String> reply = Crossing.ask(there, home, "A question", () -> Reply.of("yes"));
        there.turn();
        assertThat(reply.isDone()).isFalse();
        settle();

        assertThat(reply.value()).isEqualTo("yes");
        assertThat(there.bugs).isEmpty();
    }

    @Test
    void aBugOverThereReachesWhoAskedAndIsReported() {
        Reply<String> reply = Crossing.ask(there, home, "A question", () -> fail(bug));
        settle();

        assertThat(reply.failure()).isSameAs(bug);
        assertThat(there.bugs).singleElement().asString().contains("A question was not finished");
    }

    @Test
    void aFailingDiskIsNoBug() {
        DiskException full = new DiskException(DiskException.Kind.FULL, "f", "no room");
        Reply<String> reply = Crossing.ask(there, home, "A question", () -> fail(full));
        settle();

        assertThat(reply.failure()).isSameAs(full);
        assertThat(there.bugs).isEmpty();
    }

    /// Who answers two of them on the same thread must not be stopped by the first.
    @Test
    void whatAListenerThrowsDoesNotReachWhoAnswers() {
        Reply<String> first = new Reply<>();
        first.whenDone(_ -> meetABug());
        Reply<String> second = new Reply<>();
        home.post(
                () -> {
                    first.completeOn(home, "a");
                    second.completeOn(home, "b");
                });
        settle();

        assertThat(second.value()).isEqualTo("b");
        assertThat(home.bugs).hasSize(1);
    }

    @Test
    void aBugInTakingInAnAnswerGoesWhereAFailureGoes() {
        List<Throwable> failures = new ArrayList<>();
        Reply<String> reply = new Reply<>();
        Crossing.land(reply, home, "A step", _ -> meetABug(), failures::add);
        home.post(() -> reply.complete("a"));
        settle();

        assertThat(failures).containsExactly(bug);
        assertThat(home.bugs).hasSize(1);
    }

    @Test
    void oneOfSeveralThatMeetsABugDoesNotStopTheOthers() {
        List<String> done = new ArrayList<>();
        home.post(
                () -> {
                    Crossing.alone(home, "The first", this::meetABug);
                    Crossing.alone(home, "The second", () -> done.add("second"));
                });
        settle();

        assertThat(done).containsExactly("second");
        assertThat(home.bugs).singleElement().asString().contains("The first was not finished");
    }
}
