package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.sqs.ScriptedQueue.message;
import static io.sluice.listener.sqs.ScriptedQueue.received;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Leases of messages that nobody has, because memory ended between their arrival and their lane, or because they have just been given back.
@Timeout(180)
class LeasedToNobodyTest {
    private final ScriptedQueue queue = new ScriptedQueue();
    private final long began = System.nanoTime();
    private final ConcurrentLinkedQueue<Runnable> jobs = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean outOfMemory = new AtomicBoolean();
    private final SqsParts parts =
            new SqsParts(
                    queue,
                    SqsParts.settings(queue),
                    SqsParts.STANDARD,
                    LaneSettings.lane("all", new FixedLimit(10), job -> {}).on(jobs::add),
                    this::laneOf);
    private final Leases leases = parts.leases;
    private final Teller teller = parts.teller;
    private final Duration longestJob = parts.settings.longestJob();

    private String laneOf(Message message) {
        if (message.id().equals("b") && outOfMemory.getAndSet(false)) {
            throw new OutOfMemoryError("simulated");
        }
        return "all";
    }

    @AfterEach
    void close() {
        queue.close();
    }

    private void end(Polls polls) {
        polls.stop();
        parts.lanes.stop();
        queue.close();
        polls.awaitEnd(Duration.ofSeconds(30));
    }

    @Test
    @DisplayName("What was received and could not be handed in is given back, not renewed for ever")
    void whatIsReceivedAndNotHandedInGoesBack() throws Exception {
        outOfMemory.set(true);
        queue.answer(received("a"), received("b"), received("c"));
        Polls polls = parts.polls();
        polls.start();
        try {
            until("the next poll", () -> queue.polls.get() == 2);
            assertThat(jobs).as("the first has a slot").hasSize(1);
            assertThat(leases.held()).isEqualTo(1);
            assertThat(teller.backlog()).as("the others come again").isEqualTo(2);
        } finally {
            end(polls);
        }
    }

    /// The lanes, but the first call of this method ends as all do when there is no memory.
    private Intake failingOnceAt(String call, AtomicBoolean first) {
        return (Intake)
                Proxy.newProxyInstance(
                        Intake.class.getClassLoader(),
                        new Class<?>[] {Intake.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals(call) && first.getAndSet(false)) {
                                throw new OutOfMemoryError("simulated");
                            }
                            return method.invoke(parts.lanes, arguments);
                        });
    }

    @Test
    void anErrorDoesNotEndTheThreadThatReceives() throws Exception {
        var first = new AtomicBoolean(true);
        queue.answer(received("a"));
        Polls polls = parts.polls(failingOnceAt("awaitRoom", first));
        polls.start();
        try {
            until("a poll after all", () -> jobs.size() == 1);
            assertThat(first).isFalse();
            assertThat(polls.trouble()).as("it has passed").isNull();
        } finally {
            end(polls);
        }
    }

    @Test
    void aLeaseThatNobodyHasEndsWithTheLongestJob() {
        Message orphan = message("orphan");
        Message waits = message("waits");
        leases.hold(orphan, began);
        leases.hold(waits, began);
        parts.lastDeliveries.keep(waits, "all");
        renewUntil(longestJob.minusSeconds(1));
        assertThat(leases.held()).as("it may be on its way in").isEqualTo(2);

        parts.heartbeat().beat(began + longestJob.toNanos());
        assertThat(leases.holds(orphan)).isFalse();
        assertThat(teller.backlog()).as("it comes again").isEqualTo(1);
        assertThat(leases.holds(waits)).as("this one is somebody's").isTrue();
    }

    @Test
    void aJobWhoseTimeIsOverIsGivenUpInTheNextRoundIfNotInThis() {
        parts.deliver(message("endless"), began);
        Message other = message("other");
        leases.hold(other, began + longestJob.minusSeconds(12).toNanos());
        renewUntil(longestJob.minusSeconds(12));
        Heartbeat heartbeat = parts.heartbeat(failingOnceAt("overdue", new AtomicBoolean(true)));
        long over = began + longestJob.toNanos();
        assertThatThrownBy(() -> heartbeat.beat(over)).isInstanceOf(OutOfMemoryError.class);
        assertThat(queue.renewals).as("nobody else has to wait for that").hasSize(1);
        assertThat(parts.state().retried()).isZero();

        heartbeat.beat(over + 1);
        assertThat(parts.state().retried()).isEqualTo(1);
        heartbeat.beat(over + 2);
        assertThat(parts.state().retried()).as("said once").isEqualTo(1);
    }

    @Test
    void whatCannotBeSettledIsNotRenewedForEver() {
        Message message = message("m");
        leases.hold(message, began);
        var cause =
                new RuntimeException("not a PDF") {
                    @Override
                    public String getMessage() {
                        throw new OutOfMemoryError("simulated");
                    }
                };
        assertThatThrownBy(() -> parts.settle(message, new Settlement.DeadLetter(cause, 1)))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(leases.held()).isZero();
    }

    private void renewUntil(Duration time) {
        for (long seconds = 0; seconds <= time.toSeconds(); seconds++) {
            long now = began + Duration.ofSeconds(seconds).toNanos();
            leases.look(now).renew().forEach(message -> leases.renewed(message, now));
        }
    }

    @Test
    void whatHasGoneBackIsNotRenewedByABatchThatIsSentLater() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            messages.add(message("m" + i));
        }
        messages.forEach(message -> leases.hold(message, 0));
        queue.meanwhile =
                first ->
                        messages.stream()
                                .filter(message -> !first.contains(Receipt.of(message).handle()))
                                .forEach(message -> teller.comeAgain(message, Duration.ZERO, null));
        parts.heartbeat().beat(Duration.ofSeconds(12).toNanos());

        assertThat(queue.renewals).singleElement(InstanceOfAssertFactories.LIST).hasSize(10);
    }

    @Test
    void theQueueHearsOfAHandBackWhenTheRenewalThatSpeaksOfItHasEnded() throws Exception {
        Message message = message("m");
        leases.hold(message, 0);
        var toldTooEarly = new AtomicBoolean();
        queue.meanwhile =
                handles -> {
                    teller.comeAgain(message, Duration.ZERO, null);
                    teller.start();
                    aMoment();
                    toldTooEarly.set(!queue.handBacks.isEmpty());
                };
        parts.heartbeat().beat(Duration.ofSeconds(12).toNanos());

        until("it is told", () -> queue.handBacks.size() == 1);
        assertThat(toldTooEarly).isFalse();
        teller.close(Duration.ofSeconds(30));
    }

    /// Time for the wrong thing to happen; the right one does not depend on it.
    private static void aMoment() {
        try {
            Thread.sleep(400);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
