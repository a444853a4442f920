package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;

/// Receives: one thread reserves room, and for each reservation a poll runs on a thread of its own.
///
/// Several polls at a time while messages flow and there is room for whole answers. As soon as one of them waits the queue is empty, and no other begins beside it: see
/// [PollsUnderWay].
///
/// Thread-safe.
final class Polls {
    private static final Logger log = LoggerFactory.getLogger(Polls.class);

    /// What SQS delivers at most in one answer.
    private static final int MOST_PER_POLL = 10;

    private static final int AT_ONCE = 8;

    /// Two requests' worth.
    private static final int MOST_UNTOLD = 20;

    private static final String NO_MEMORY =
            "Nothing can be received: there is not even memory to say why.";

    /// Shorter ones are what a busy queue is like.
    private static final Duration STANDSTILL = Duration.ofSeconds(5);

    private static final long NOT_WAITING = Long.MIN_VALUE;
    private static final long SHORTEST_PAUSE_MILLIS = 200;
    private static final long LONGEST_PAUSE_MILLIS = 30_000;

    private final SqsSettings settings;
    private final Leases leases;
    private final Verdicts verdicts;
    private final Teller teller;
    private final Intake intake;
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final ExecutorService threads;
    private final Thread reserves;
    private final PollsUnderWay underWay;
    private volatile boolean stopping;
    private final AtomicInteger failures = new AtomicInteger();
    private volatile long failedNanos;
    private volatile long pauseMillis;
    private volatile @Nullable String trouble;
    private volatile long waitsSinceNanos = NOT_WAITING;
    private volatile long untoldSinceNanos = NOT_WAITING;

    Polls(SqsSettings settings, Leases leases, Verdicts verdicts, Teller teller, Intake intake) {
        this.settings = settings;
        this.leases = leases;
        this.verdicts = verdicts;
        this.teller = teller;
        this.intake = intake;
        this.underWay = new PollsUnderWay(MOST_PER_POLL, settings.longPoll());
        String name = "sluice-polls-" + settings.queue();
        this.threads =
                Executors.newCachedThreadPool(
                        Thread.ofPlatform().daemon(true).name(name + "-", 0).factory());
        // Not a daemon: a process that only listens lives until the listener is stopped.
        this.reserves = Thread.ofPlatform().name(name).unstarted(this::run);
    }

    void start() {
        reserves.start();
    }

    void stop() {
        stopping = true;
    }

    /// The one that begins polls.
    Thread thread() {
        return reserves;
    }

    /// Since when polls that had room have brought nothing.
    Duration idle() {
        long since = waitsSinceNanos;
        return since == NOT_WAITING
                ? Duration.ZERO
                : Duration.ofNanos(Math.max(0, System.nanoTime() - since));
    }

    @Nullable String trouble() {
        String failure = trouble;
        return failure == null ? standstill() : failure;
    }

    /// Nothing has failed here, but nothing is asked for either.
    private @Nullable String standstill() {
        long since = untoldSinceNanos;
        if (since == NOT_WAITING || System.nanoTime() - since < STANDSTILL.toNanos()) {
            return null;
        }
        return "Nothing is received from queue %s: %d messages have left their slots and wait for the queue to hear of it, %s"
                .formatted(settings.queue(), teller.backlog(), verdicts.unboundedInWords());
    }

    private void run() {
        boolean goesOn = true;
        while (goesOn && !stopping) {
            try {
                goesOn = reserve();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                goesOn = false;
            } catch (RuntimeException | Error e) {
                // Out of memory is the jobs' fault, and passes: then somebody has to be here.
                failed(e, System.nanoTime());
            }
        }
    }

    /// @return whether there will be room again
    private boolean reserve() throws InterruptedException {
        boolean begun = false;
        places.acquire();
        try {
            pause();
            awaitTold();
            long ended = underWay.ended();
            Reservation room = intake.awaitRoom(MOST_PER_POLL);
            if (room.size() == 0) {
                return false;
            }
            begun = begins(room);
            if (!begun) {
                underWay.awaitMoreThan(ended);
            }
        } finally {
            if (!begun) {
                places.release();
            }
        }
        return true;
    }

    /// @return false when its room, and what gets free meanwhile, makes one poll when the one that is under way is back
    private boolean begins(Reservation room) {
        boolean begun = false;
        try {
            if (!underWay.holdUp(room.size(), System.nanoTime())) {
                begin(room);
                begun = true;
            }
            return begun;
        } finally {
            if (!begun) {
                room.close();
            }
        }
    }

    private void begin(Reservation room) {
        if (waitsSinceNanos == NOT_WAITING) {
            waitsSinceNanos = System.nanoTime();
        }
        try {
            underWay.begins(room, System.nanoTime());
            threads.execute(() -> poll(room));
        } catch (RuntimeException | Error e) {
            // No thread, no memory.
            underWay.ends(room);
            throw e;
        }
    }

    private void poll(Reservation room) {
        long began = System.nanoTime();
        try (room) {
            var received = receive(room.size());
            failures.set(0);
            trouble = null;
            if (!received.isEmpty()) {
                waitsSinceNanos = NOT_WAITING;
                handIn(room, received);
            }
        } catch (RuntimeException | Error e) {
            failed(e, began);
        } finally {
            underWay.ends(room);
            places.release();
        }
    }

    private List<software.amazon.awssdk.services.sqs.model.Message> receive(int most) {
        return settings.client()
                .receiveMessage(
                        request ->
                                request.queueUrl(settings.queueUrl())
                                        .maxNumberOfMessages(most)
                                        .waitTimeSeconds((int) settings.longPoll().toSeconds())
                                        .visibilityTimeout((int) settings.lease().toSeconds())
                                        .messageSystemAttributeNames(MessageSystemAttributeName.ALL)
                                        .messageAttributeNames("All"))
                .messages();
    }

    /// Whatever goes wrong in between, no message stays leased that nobody has.
    private void handIn(
            Reservation room, List<software.amazon.awssdk.services.sqs.model.Message> received) {
        List<Message> messages = new ArrayList<>();
        try {
            for (var one : received) {
                Message message = message(one);
                messages.add(message);
                // A long poll's messages are leased when they are found, not when they were asked
                // for.
                leases.hold(message, System.nanoTime());
            }
            room.deliver(messages);
        } catch (RuntimeException | Error e) {
            for (Message message : messages) {
                giveBack(message, e);
            }
            throw e;
        }
    }

    private void giveBack(Message message, Throwable why) {
        try {
            verdicts.reclaim(message, "it could not be handed in: " + why);
        } catch (RuntimeException | Error e) {
            leases.end(message);
        }
    }

    /// Polls that began before the last failure fail for the same reason: they count as one, or a few at once would make the pause long at once.
    private synchronized void failed(Throwable e, long beganNanos) {
        boolean known = failures.get() > 0 && beganNanos - failedNanos < 0;
        if (!known) {
            // First what needs no memory.
            failedNanos = System.nanoTime();
            int count = failures.incrementAndGet();
            pauseMillis =
                    Math.min(
                            LONGEST_PAUSE_MILLIS, SHORTEST_PAUSE_MILLIS << Math.min(count - 1, 10));
        }
        try {
            trouble =
                    "Nothing can be received from queue "
                            + settings.queue()
                            + ": "
                            + (e instanceof Error ? e.toString() : e.getMessage());
            if (!known) {
                log.error("{}; again in {} ms", trouble, pauseMillis);
            }
        } catch (RuntimeException | Error noMemory) {
            trouble = NO_MEMORY;
        }
    }

    /// What is done or goes back has left its slot, but not this process, before the queue has heard of it.
    private void awaitTold() throws InterruptedException {
        while (!stopping && teller.backlog() + verdicts.unbounded() >= MOST_UNTOLD) {
            if (untoldSinceNanos == NOT_WAITING) {
                untoldSinceNanos = System.nanoTime();
            }
            Thread.sleep(1);
        }
        untoldSinceNanos = NOT_WAITING;
    }

    /// After a failure nobody polls for a while.
    private void pause() throws InterruptedException {
        while (!stopping
                && failures.get() > 0
                && System.nanoTime() - failedNanos < pauseMillis * 1_000_000) {
            Thread.sleep(SHORTEST_PAUSE_MILLIS / 4);
        }
    }

    private Message message(software.amazon.awssdk.services.sqs.model.Message received) {
        Map<String, String> attributes = new HashMap<>();
        received.messageAttributes()
                .forEach(
                        (name, value) -> {
                            if (value.stringValue() != null) {
                                attributes.put(name, value.stringValue());
                            }
                        });
        Map<MessageSystemAttributeName, String> system = received.attributes();
        int receives =
                Integer.parseInt(
                        system.getOrDefault(
                                MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT, "1"));
        String id = Copy.idOf(received);
        return new Message(
                id,
                received.body().getBytes(StandardCharsets.UTF_8),
                attributes,
                system.get(MessageSystemAttributeName.MESSAGE_GROUP_ID),
                settings.queue(),
                1 + Math.max(Copy.failuresOf(received), verdicts.failuresOf(id)),
                new Receipt(received, receives));
    }

    void awaitEnd(Duration patience) {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                log.warn(
                        "A poll of queue {} has not come back within {}; what it may still bring is invisible for {}.",
                        settings.queue(),
                        patience,
                        settings.lease());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
