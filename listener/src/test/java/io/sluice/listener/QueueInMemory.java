package io.sluice.listener;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import io.sluice.listener.message.Source;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// A source for tests of what stands around it: delivers what it was given, everything twice if so wished, and writes down the verdicts.
public final class QueueInMemory implements Source {
    public final Queue<String> verdicts = new ConcurrentLinkedQueue<>();
    private final Queue<Message> messages = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile @Nullable Intake intake;
    private volatile boolean stopping;

    public QueueInMemory add(String id) {
        return add(id, id);
    }

    public QueueInMemory add(String id, String identity) {
        byte[] body = id.getBytes(StandardCharsets.UTF_8);
        messages.add(new Message(id, identity, body, Map.of(), null, "memory", 1, id));
        return this;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public void start(Intake newIntake) {
        intake = newIntake;
        threads.add(Thread.ofVirtual().start(() -> poll(newIntake)));
    }

    private Intake requireIntake() {
        Intake known = intake;
        if (known == null) {
            throw new IllegalStateException("It has not started.");
        }
        return known;
    }

    private void poll(Intake into) {
        try {
            while (!stopping) {
                try (Reservation room = into.awaitRoom(1)) {
                    @Nullable Message next = messages.poll();
                    if (next == null) {
                        Thread.sleep(1);
                    } else if (room.size() == 1) {
                        room.deliver(List.of(next));
                    }
                } catch (OutOfMemoryError e) {
                    // Somebody else's fault, and passes.
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stopReceiving() {
        stopping = true;
    }

    @Override
    public void settle(Message message, Settlement settlement) {
        verdicts.add(message.id() + " " + settlement.getClass().getSimpleName());
        if (settlement instanceof Settlement.Retry || settlement instanceof Settlement.HandBack) {
            messages.add(again(message, settlement));
        }
        if (settlement instanceof Settlement.DeadLetter) {
            requireIntake().buried(message);
        }
    }

    /// With one attempt more, after a failure.
    private static Message again(Message message, Settlement settlement) {
        int attempts = message.attempt() + (settlement instanceof Settlement.Retry ? 1 : 0);
        return new Message(
                message.id(),
                message.identity(),
                message.body(),
                message.attributes(),
                message.key(),
                message.partition(),
                attempts,
                message.receipt());
    }

    @Override
    public void close(Duration deadline) {
        threads.forEach(Thread::interrupt);
    }
}
