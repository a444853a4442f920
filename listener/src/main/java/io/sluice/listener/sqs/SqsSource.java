package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import io.sluice.listener.message.Source;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A queue of Amazon SQS, or of anything with its API, as a source; standard or FIFO.
///
/// | | |
/// | --- | --- |
/// | receives | long polls for exactly the free slots, the next one as soon as a slot is free and no poll waits for it; where jobs are brief, as soon as there is room for a whole answer |
/// | leases | renewed in batches for as long as a job runs, up to the longest job; a lost lease cancels the job, which is then never acknowledged |
/// | done | deleted, in batches |
/// | retry | a fresh copy, delayed by the pause, that says how often it has failed; FIFO: invisible for the pause |
/// | lane full | invisible until a slot is free, at most two minutes; it counts neither as an attempt nor against the queue's own maximum of receives |
/// | dead letters | a copy with cause and attempts in the dead-letter queue, then deleted |
/// | FIFO | the message group is the key; use lanes with `Order.KEY` |
///
/// Thread-safe.
public final class SqsSource implements Source {
    private static final Logger log = LoggerFactory.getLogger(SqsSource.class);

    /// What a stop leaves for telling the queue how everything ended.
    private static final Duration TELLING = Duration.ofSeconds(2);

    /// A receipt is some hundred characters.
    private static final int MOST_PARKED = 20_000;

    private final SqsSettings settings;
    private @Nullable Running running;
    private volatile boolean stopping;

    /// What exists once it has started.
    private record Running(
            Polls polls,
            Heartbeat heartbeat,
            Teller teller,
            Verdicts.Movers movers,
            Verdicts verdicts,
            LastDeliveries lastDeliveries,
            Recall recall) {

        /// What has to live for as long as it receives.
        List<Thread> threads() {
            return List.of(
                    polls.thread(),
                    teller.thread(),
                    movers.letters().thread(),
                    movers.copies().thread(),
                    heartbeat.thread(),
                    recall.thread());
        }
    }

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
        var movers =
                new Verdicts.Movers(
                        new Mover("letters", settings, teller, intake),
                        new Mover("copies", settings, teller, intake));
        var lastDeliveries = new LastDeliveries();
        var verdicts =
                new Verdicts(settings, facts, leases, teller, movers, lastDeliveries, intake);
        var heartbeat = new Heartbeat(settings, leases, verdicts, intake);
        var polls = new Polls(settings, leases, verdicts, teller, intake);
        var recall = new Recall(settings, leases, parked, lastDeliveries, intake);
        running = new Running(polls, heartbeat, teller, movers, verdicts, lastDeliveries, recall);
        for (String remark : facts.remarks(intake.ordersKept())) {
            log.warn("Queue {}: {}.", settings.queue(), remark);
        }
        teller.start();
        movers.letters().start();
        movers.copies().start();
        heartbeat.start();
        recall.start();
        polls.start();
    }

    @Override
    public void stopReceiving() {
        stopping = true;
        requireRunning().polls().stop();
    }

    @Override
    public void settle(Message message, Settlement settlement) {
        requireRunning().verdicts().on(message, settlement);
    }

    @Override
    public @Nullable String trouble() {
        Running parts = requireRunning();
        for (Thread thread : parts.threads()) {
            if (!stopping && !thread.isAlive()) {
                return "Thread %s has ended, and nobody does its work: restart the process."
                        .formatted(thread.getName());
            }
        }
        return parts.polls().trouble();
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
        for (Message message : parts.lastDeliveries().giveUp()) {
            settle(message, new Settlement.HandBack(Duration.ZERO, "the listener stops"));
        }
        // What has been copied is still to be deleted.
        parts.movers().close(Duration.ofNanos(Math.max(0, end - System.nanoTime()) / 2));
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
