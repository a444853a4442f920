package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import io.sluice.listener.message.Source;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A queue of Amazon SQS, or of anything with its API, as a source; standard or FIFO.
///
/// | | |
/// | --- | --- |
/// | receives | long polls for exactly the free slots, the next one as soon as a slot is free and no poll waits for it |
/// | leases | renewed in batches for as long as a job runs, up to the longest job; a lost lease cancels the job, which is then never acknowledged |
/// | done | deleted, in batches |
/// | retry | invisible for the pause |
/// | lane full | invisible until a slot is free, at most two minutes; it counts neither as an attempt nor against the queue's own maximum of receives |
/// | dead letters | a copy with cause and attempts in the dead-letter queue, then deleted |
/// | FIFO | the message group is the key; use lanes with `Order.KEY` |
///
/// Thread-safe.
public final class SqsSource implements Source {
    /// What a stop leaves for telling the queue how everything ended.
    private static final Duration TELLING = Duration.ofSeconds(2);

    /// A receipt is some hundred characters.
    private static final int MOST_PARKED = 20_000;

    private final SqsSettings settings;
    private @Nullable Running running;

    /// What exists once it has started.
    private record Running(
            Polls polls,
            Heartbeat heartbeat,
            Teller teller,
            Mover mover,
            Verdicts verdicts,
            Recall recall) {}

    public SqsSource(SqsSettings settings) {
        this.settings = settings;
    }

    @Override
    public String name() {
        return "queue " + settings.queue();
    }

    @Override
    public synchronized void start(Intake intake) {
        if (running != null) {
            throw new IllegalStateException("A source starts once; make a new one.");
        }
        QueueFacts facts = QueueFacts.ask(settings);
        var leases = new Leases(settings.lease(), settings.longestJob());
        var parked = new Parked(MOST_PARKED);
        var teller = new Teller(settings, leases, parked);
        var mover = new Mover(settings, teller, intake);
        var verdicts = new Verdicts(settings, facts, leases, teller, mover, intake);
        var heartbeat = new Heartbeat(settings, leases, intake);
        var polls = new Polls(settings, facts, leases, verdicts, teller, mover, intake);
        var recall = new Recall(settings, parked, intake);
        running = new Running(polls, heartbeat, teller, mover, verdicts, recall);
        teller.start();
        mover.start();
        heartbeat.start();
        recall.start();
        polls.start();
    }

    @Override
    public void stopReceiving() {
        requireRunning().polls().stop();
    }

    @Override
    public void settle(Message message, Settlement settlement) {
        requireRunning().verdicts().on(message, settlement);
    }

    @Override
    public @Nullable String trouble() {
        return requireRunning().polls().trouble();
    }

    @Override
    public Duration idle() {
        return requireRunning().polls().idle();
    }

    /// As of the last round.
    @Override
    public Duration leaseLateness() {
        return Duration.ofNanos(requireRunning().heartbeat().latenessNanos());
    }

    /// Waits for polls in progress: a poll that is cut off may have its answer on the way, and those messages would be in flight to nobody.
    @Override
    public void close(Duration deadline) {
        long end = System.nanoTime() + deadline.toNanos();
        Running parts = requireRunning();
        Duration quarter = deadline.dividedBy(4);
        Duration forTelling = quarter.compareTo(TELLING) < 0 ? quarter : TELLING;
        parts.polls().awaitEnd(deadline.minus(forTelling));
        // What has been copied is still to be deleted.
        parts.mover().close(Duration.ofNanos(Math.max(0, end - System.nanoTime()) / 2));
        parts.teller().close(Duration.ofNanos(Math.max(0, end - System.nanoTime()) / 2));
        parts.recall().close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        parts.heartbeat().close();
    }

    private synchronized Running requireRunning() {
        if (running == null) {
            throw new IllegalStateException("The source has not started.");
        }
        return running;
    }
}
