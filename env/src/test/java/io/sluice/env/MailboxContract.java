package io.sluice.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every [Mailbox] must do.
public abstract class MailboxContract {
    private final List<String> happened = Collections.synchronizedList(new ArrayList<>());
    private final List<Throwable> bugs = Collections.synchronizedList(new ArrayList<>());
    private Mailbox mailbox;

    /// A mailbox that reports what its work throws to the list.
    protected abstract Mailbox mailbox(List<Throwable> bugs) throws Exception;

    /// Waits until everything posted so far has run, and this much time has passed on the mailbox's clock.
    protected abstract void pass(Mailbox mailbox, Duration time) throws Exception;

    protected abstract void close(Mailbox mailbox) throws Exception;

    @BeforeEach
    void open() throws Exception {
        mailbox = mailbox(bugs);
    }

    @AfterEach
    void closeIt() throws Exception {
        close(mailbox);
    }

    @Test
    void postsRunInOrder() throws Exception {
        for (int i = 0; i < 100; i++) {
            int number = i;
            mailbox.post(() -> happened.add("" + number));
        }
        pass(mailbox, Duration.ZERO);
        assertThat(happened).hasSize(100);
        for (int i = 0; i < 100; i++) {
            assertThat(happened.get(i)).isEqualTo("" + i);
        }
    }

    @Test
    void aPostFromInsideRunsAfterThePresentWork() throws Exception {
        mailbox.post(
                () -> {
                    mailbox.post(() -> happened.add("second"));
                    happened.add("first");
                });
        pass(mailbox, Duration.ZERO);
        pass(mailbox, Duration.ZERO);
        assertThat(happened).containsExactly("first", "second");
    }

    @Test
    void onlyTheOwnersThreadIsCurrent() throws Exception {
        assertThat(mailbox.isCurrent()).isFalse();
        mailbox.post(() -> happened.add("current " + mailbox.isCurrent()));
        pass(mailbox, Duration.ZERO);
        assertThat(happened).containsExactly("current true");
        assertThat(mailbox.isCurrent()).isFalse();
    }

    @Test
    void runIsImmediateInsideAndPostedOutside() throws Exception {
        mailbox.run(
                () -> {
                    mailbox.run(() -> happened.add("inner"));
                    happened.add("outer");
                });
        pass(mailbox, Duration.ZERO);
        assertThat(happened).containsExactly("inner", "outer");
    }

    @Test
    void timersFireInTheOrderOfTheirTimes() throws Exception {
        mailbox.post(
                () -> {
                    mailbox.schedule(Duration.ofMillis(30), () -> happened.add("late"));
                    mailbox.schedule(Duration.ofMillis(10), () -> happened.add("early"));
                    mailbox.schedule(Duration.ZERO, () -> happened.add("at once"));
                });
        pass(mailbox, Duration.ofMillis(100));
        assertThat(happened).containsExactly("at once", "early", "late");
    }

    @Test
    void aTimerNeverFiresEarly() throws Exception {
        mailbox.schedule(Duration.ofHours(1), () -> happened.add("timer"));
        mailbox.post(() -> happened.add("post"));
        pass(mailbox, Duration.ofMillis(5));
        assertThat(happened).containsExactly("post");
    }

    @Test
    void aTimerCancelledByTheOwnerDoesNotFireEvenWhenItIsDue() throws Exception {
        AtomicReference<Mailbox.Timer> timer = new AtomicReference<>();
        mailbox.post(
                () -> {
                    timer.set(mailbox.schedule(Duration.ZERO, () -> happened.add("timer")));
                    timer.get().cancel();
                    happened.add("cancelled");
                });
        pass(mailbox, Duration.ofMillis(20));
        assertThat(happened).containsExactly("cancelled");
    }

    @Test
    void aBugIsReportedAndTheNextWorkRuns() throws Exception {
        IllegalStateException bug = new IllegalStateException("bug");
        AssertionError error = new AssertionError("worse");
        mailbox.post(
                () -> {
                    throw bug;
                });
        mailbox.schedule(
                Duration.ZERO,
                () -> {
                    throw error;
                });
        mailbox.post(() -> happened.add("next"));
        pass(mailbox, Duration.ofMillis(5));
        assertThat(bugs).containsExactlyInAnyOrder(bug, error);
        assertThat(happened).containsExactly("next");
    }
}
