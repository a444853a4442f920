package io.sluice.listener.kafka;

import io.sluice.listener.message.Intake;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The thread that owns a Kafka client, which nobody else may touch: turn after turn until it is closed, with a pause after trouble.
///
/// ```
///  start ──▶ open ──▶ turn ⟲ ──close──▶ end
///             │        └─ throws: trouble, a pause, recover, and on
///             └─ throws: trouble, a pause, and once more
/// ```
/// Thread-safe; what it owns is not, but for [Client#wakeUp].
final class ClientThread {
    private static final Logger log = LoggerFactory.getLogger(ClientThread.class);
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);

    /// When there is not even memory for a sentence.
    private static final String NO_WORDS = "Nothing can be received: out of memory";

    /// When nobody has said how long the end may take.
    private static final Duration SOON = Duration.ofSeconds(10);

    /// What the thread owns.
    interface Client {
        void open();

        /// One round of work, not longer than a stop can wait.
        void turn();

        /// Called after a round that did not end well, before the next one: what that has left half done must not be skipped.
        void recover();

        /// @param deadline how long it may take
        void end(Duration deadline);

        /// In a few words, that nobody answers although no call has failed; none when all is well.
        @Nullable String silence();

        /// Ends a blocking call. From any thread.
        void wakeUp();
    }

    private final List<String> topics;
    private final Client client;
    private final Thread thread;
    private volatile boolean receiving = true;
    private volatile boolean closing;
    private volatile Duration deadline = SOON;

    /// What the last round failed with.
    private volatile @Nullable String trouble;

    /// That nobody answers, though no round has failed.
    private volatile @Nullable String silence;

    /// 0: messages flow, or there is no room for any.
    private volatile long waitsSinceNanos;

    ClientThread(String name, List<String> topics, Client client) {
        this.topics = topics;
        this.client = client;
        this.thread =
                Thread.ofPlatform().name(name + String.join("-", topics)).unstarted(this::run);
    }

    void start(Intake intake) {
        thread.start();
        intake.onRoom(this::unpark);
    }

    boolean alive() {
        return thread.isAlive();
    }

    /// There is something to do for it.
    void unpark() {
        LockSupport.unpark(thread);
    }

    void stopReceiving() {
        receiving = false;
        unpark();
    }

    boolean receiving() {
        return receiving;
    }

    boolean closing() {
        return closing;
    }

    @Nullable String trouble() {
        String failed = trouble;
        return failed == null ? silence : failed;
    }

    /// It has room, and waits for a message from now on, unless it does already.
    void waits() {
        waitsSinceNanos = waitsSinceNanos == 0 ? System.nanoTime() : waitsSinceNanos;
    }

    /// A message has come, or there is no room for one.
    void waitsNoMore() {
        waitsSinceNanos = 0;
    }

    /// How long polls that had room have brought nothing.
    Duration idle() {
        long since = waitsSinceNanos;
        return since == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
    }

    void beginClosing(Duration newDeadline) {
        deadline = newDeadline;
        closing = true;
        client.wakeUp();
        unpark();
    }

    /// On its own thread: there is nothing left for it to do.
    void end() {
        closing = true;
    }

    void awaitEnd(Duration patience) {
        try {
            if (!thread.join(patience)) {
                log.warn(
                        "{} did not close within {}; what it had to tell last may be missing.",
                        thread.getName(),
                        patience);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Takes note of whether anybody answers. After each round; and by somebody else where a round may last.
    void watch() {
        String why = client.silence();
        String sentence = why == null ? null : nothingFrom(why);
        if (silence == null && sentence != null) {
            log.error("{}; goes on looking", sentence);
        }
        silence = sentence;
    }

    private String nothingFrom(String why) {
        return "Nothing can be received from " + topics + ": " + why;
    }

    private void run() {
        try {
            boolean open = false;
            boolean sound = true;
            while (!closing) {
                try {
                    if (!open) {
                        client.open();
                        open = true;
                    }
                    if (!sound) {
                        client.recover();
                        sound = true;
                    }
                    client.turn();
                    trouble = null;
                    watch();
                } catch (WakeupException e) {
                    // Something has changed: it is being closed, for example.
                } catch (InterruptException e) {
                    interrupted();
                } catch (RuntimeException | Error e) {
                    // Errors too: out of memory is the jobs' fault, and passes.
                    sound = !open;
                    troubled(e);
                }
            }
        } finally {
            client.end(deadline);
        }
    }

    /// Somebody wants the thread to end, but nobody has stopped the listener.
    private void interrupted() {
        Thread.interrupted();
        if (!closing) {
            trouble = nothingFrom("its thread was interrupted, and has ended");
            log.error("{}", trouble);
            closing = true;
        }
    }

    private void troubled(Throwable why) {
        try {
            trouble = nothingFrom(why.toString());
            log.error("{}; goes on in {}", trouble, AFTER_TROUBLE, why);
        } catch (RuntimeException | Error e) {
            trouble = NO_WORDS;
        }
        // Whoever unparks it meanwhile, as what failed has perhaps done itself, must not make a hot
        // loop of it.
        long end = System.nanoTime() + AFTER_TROUBLE.toNanos();
        for (long left = AFTER_TROUBLE.toNanos(); left > 0 && !closing; ) {
            LockSupport.parkNanos(left);
            left = end - System.nanoTime();
        }
    }
}
