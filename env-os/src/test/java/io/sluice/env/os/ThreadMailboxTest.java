package io.sluice.env.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.env.Mailbox;
import io.sluice.env.MailboxContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class ThreadMailboxTest extends MailboxContract {
    @Override
    protected Mailbox mailbox(List<Throwable> bugs) {
        return new ThreadMailbox("mailbox-test", bugs::add);
    }

    /// The mailbox orders work by time, so that a later timer shows that all before it has run.
    @Override
    protected void pass(Mailbox mailbox, Duration time) throws InterruptedException {
        CountDownLatch passed = new CountDownLatch(1);
        mailbox.schedule(time, passed::countDown);
        passed.await();
    }

    @Override
    protected void close(Mailbox mailbox) {
        ((ThreadMailbox) mailbox).close();
    }

    @Test
    void closingRunsWhatWasPostedAndDropsTimers() {
        List<String> happened = Collections.synchronizedList(new ArrayList<>());
        ThreadMailbox mailbox = new ThreadMailbox("mailbox-test", bug -> happened.add("" + bug));
        mailbox.schedule(Duration.ofHours(1), () -> happened.add("timer"));
        for (int i = 0; i < 50; i++) {
            mailbox.post(() -> happened.add("post"));
        }
        mailbox.close();
        assertThat(happened).hasSize(50).containsOnly("post");
        assertThatThrownBy(() -> mailbox.post(() -> happened.add("late")))
                .isInstanceOf(RejectedExecutionException.class);
    }
}
