package io.sluice.listener.sqs;

import io.sluice.listener.message.Message;
import io.sluice.listener.thread.SteadyThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;

/// Tells the queue in batches which messages are done and which come again. A batch is sent when it is full or nothing more has come for a moment.
///
/// What cannot be told is tried again a few times; after that the message comes again when its lease ends, which is what at-least-once means.
///
/// One thread of its own; [#done] and [#comeAgain] may be called from any.
final class Teller {
    private static final Logger log = LoggerFactory.getLogger(Teller.class);
    private static final int ATTEMPTS = 5;
    private static final long GATHER_MILLIS = 20;
    private static final long AGAIN_MILLIS = 1_000;

    /// What is to be told.
    private sealed interface What {
        record Done() implements What {}

        /// @param lane the one that was full, if that is why: it may be called back earlier
        record ComesAgain(Duration delay, @Nullable String lane) implements What {}
    }

    /// What is to be said about a message. Not the message itself: what has left its slot must not be in memory any more.
    ///
    /// @param renewal what has to end first
    private record Word(String about, String handle, What what, long renewal, int attempt) {
        static Word first(Message message, What what, long renewal) {
            return new Word(message.toString(), Receipt.of(message).handle(), what, renewal, 1);
        }

        Word again() {
            return new Word(about, handle, what, renewal, attempt + 1);
        }
    }

    private final SqsSettings settings;
    private final Leases leases;
    private final Parked parked;
    private final LinkedBlockingQueue<Word> words = new LinkedBlockingQueue<>();
    private final SteadyThread thread;
    private volatile boolean closing;

    Teller(SqsSettings settings, Leases leases, Parked parked) {
        this.settings = settings;
        this.leases = leases;
        this.parked = parked;
        this.thread =
                new SteadyThread(
                        "sluice-tells-" + settings.queue(),
                        "Some messages were not told about and will be delivered again",
                        this::round);
    }

    void start() {
        thread.start();
    }

    /// How many words are still to be said.
    int backlog() {
        return words.size();
    }

    void done(Message message) {
        leases.end(message);
        words.add(Word.first(message, new What.Done(), 0));
    }

    /// @param lane the one that was full, if that is why
    void comeAgain(Message message, Duration delay, @Nullable String lane) {
        // Before the words are said: a heartbeat after them would take the message back.
        leases.end(message);
        long renewal = leases.renewalOf(message);
        words.add(Word.first(message, new What.ComesAgain(delay, lane), renewal));
    }

    Thread thread() {
        return thread.thread();
    }

    private boolean round() throws InterruptedException {
        Word first = words.poll(100, TimeUnit.MILLISECONDS);
        if (first != null) {
            tell(gather(first));
        }
        return !closing || !words.isEmpty();
    }

    private List<Word> gather(Word first) throws InterruptedException {
        List<Word> batch = new ArrayList<>(List.of(first));
        while (batch.size() < Heartbeat.BATCH) {
            Word next = closing ? words.poll() : words.poll(GATHER_MILLIS, TimeUnit.MILLISECONDS);
            if (next == null) {
                break;
            }
            batch.add(next);
        }
        return batch;
    }

    private void tell(List<Word> batch) throws InterruptedException {
        List<Word> done = new ArrayList<>();
        List<Word> again = new ArrayList<>();
        for (Word word : batch) {
            switch (word.what()) {
                case What.Done finished -> done.add(word);
                case What.ComesAgain later -> again.add(word);
            }
        }
        boolean failed = !send(done, this::delete);
        for (Word word : again) {
            leases.awaitRenewal(word.renewal());
        }
        failed |= !send(again, this::release);
        if (failed && !closing) {
            Thread.sleep(AGAIN_MILLIS);
        }
    }

    private interface Request {
        List<BatchResultErrorEntry> send(List<Word> batch);
    }

    /// @return whether the queue has heard
    private boolean send(List<Word> batch, Request request) {
        if (batch.isEmpty()) {
            return true;
        }
        List<Word> failed = new ArrayList<>();
        try {
            for (BatchResultErrorEntry failure : request.send(batch)) {
                Word word = batch.get(Integer.parseInt(failure.id()));
                if (Boolean.TRUE.equals(failure.senderFault())) {
                    log.warn(
                            "{} could not be told about: {} {}",
                            word.about(),
                            failure.code(),
                            failure.message());
                } else {
                    failed.add(word);
                }
            }
        } catch (RuntimeException e) {
            log.warn(
                    "The queue could not be told about {} messages: {}",
                    batch.size(),
                    e.toString());
            failed.addAll(batch);
        }
        for (Word word : failed) {
            if (word.attempt() < ATTEMPTS) {
                words.add(word.again());
            } else {
                log.error("{} was not told about and will be delivered again.", word.about());
            }
        }
        return failed.isEmpty();
    }

    private List<BatchResultErrorEntry> delete(List<Word> batch) {
        List<DeleteMessageBatchRequestEntry> entries = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            entries.add(
                    DeleteMessageBatchRequestEntry.builder()
                            .id(Integer.toString(i))
                            .receiptHandle(batch.get(i).handle())
                            .build());
        }
        return settings.client()
                .deleteMessageBatch(
                        request -> request.queueUrl(settings.queueUrl()).entries(entries))
                .failed();
    }

    private List<BatchResultErrorEntry> release(List<Word> batch) {
        List<ChangeMessageVisibilityBatchRequestEntry> entries = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            Duration delay =
                    batch.get(i).what() instanceof What.ComesAgain later
                            ? later.delay()
                            : Duration.ZERO;
            entries.add(
                    ChangeMessageVisibilityBatchRequestEntry.builder()
                            .id(Integer.toString(i))
                            .receiptHandle(batch.get(i).handle())
                            .visibilityTimeout(seconds(delay))
                            .build());
        }
        long asked = System.nanoTime();
        var response =
                settings.client()
                        .changeMessageVisibilityBatch(
                                request -> request.queueUrl(settings.queueUrl()).entries(entries));
        response.successful()
                .forEach(entry -> park(batch.get(Integer.parseInt(entry.id())), asked));
        return response.failed();
    }

    /// Only now: called back before it was sent away, it would stay away.
    private void park(Word word, long askedNanos) {
        if (word.what() instanceof What.ComesAgain(Duration delay, String lane) && lane != null) {
            parked.park(lane, word.handle(), askedNanos + delay.toNanos());
        }
    }

    /// Rounded up: SQS knows whole seconds, at most 12 hours.
    private static int seconds(Duration delay) {
        return (int) Math.min(43_200, (delay.toMillis() + 999) / 1_000);
    }

    /// Says what is still to be said, and ends.
    void close(Duration deadline) {
        closing = true;
        try {
            if (!thread.join(deadline)) {
                log.warn(
                        "{} words to the queue were left unsaid within {}.",
                        words.size(),
                        deadline);
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
