package io.sluice.listener.lane;

import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// Lanes on one thread with a clock that only the test moves: jobs begin when the test says so, and what a source would hear is written down.
final class Script {
    /// An executor that keeps jobs until the test runs them.
    static final class ByHand implements Executor {
        final Deque<Runnable> jobs = new ArrayDeque<>();
        int refuses;
        int jobsAtOnce = 1;

        @Override
        public void execute(Runnable job) {
            if (refuses > 0) {
                refuses--;
                throw new RejectedExecutionException("refused by the script");
            }
            jobs.addLast(job);
        }

        void runNext() {
            jobs.removeFirst().run();
        }
    }

    final ByHand executor = new ByHand();
    final List<String> begun = new ArrayList<>();
    final List<String> told = new ArrayList<>();
    final List<Duration> delays = new ArrayList<>();
    final Lanes lanes;
    long nanos;

    /// Whether the source stores dead letters at once; otherwise the test says what becomes of them.
    boolean buries = true;

    /// What happens when somebody asks what time it is.
    Runnable clock = () -> {};

    /// What happens while the source is being told something.
    Runnable meanwhile = () -> {};

    Script(LaneSettings... settings) {
        lanes =
                new Lanes(
                        List.of(settings),
                        Classifier.byAttribute("lane", settings[0].name()),
                        this::told,
                        LaneObserver.NONE,
                        this::now,
                        pause -> nanos += pause.toNanos());
    }

    private long now() {
        clock.run();
        return nanos;
    }

    private void told(Message message, Settlement verdict) {
        told.add(message.id() + " " + verdict.getClass().getSimpleName());
        if (verdict instanceof Settlement.HandBack back) {
            delays.add(back.delay());
        }
        if (verdict instanceof Settlement.DeadLetter && buries) {
            lanes.buried(message);
        }
        Runnable once = meanwhile;
        meanwhile = () -> {};
        once.run();
    }

    void advance(Duration time) {
        nanos += time.toNanos();
    }

    /// A poll for everything that is free, which brings these messages.
    int poll(Message... messages) {
        try (Reservation room = lanes.reserve(100)) {
            room.deliver(Arrays.asList(messages));
            return room.size();
        }
    }

    LaneState state(String lane) {
        return lanes.states().stream()
                .filter(state -> state.lane().equals(lane))
                .findFirst()
                .orElseThrow();
    }

    static Message message(String id) {
        return message(id, null);
    }

    static Message message(String id, @Nullable String key) {
        return message(id, key, Map.of());
    }

    static Message message(String id, @Nullable String key, Map<String, String> attributes) {
        return new Message(
                id, id.getBytes(StandardCharsets.UTF_8), attributes, key, "partition-0", 1, id);
    }
}
