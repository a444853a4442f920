package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.thread.SteadyThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;

/// Calls parked messages back as soon as their lane has room, so that a freed slot waits for nobody's appointment; and all of them when the listener stops. Those that
/// could not be parked, because their queue would not deliver them again, it brings in itself.
///
/// One thread of its own.
final class Recall implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Recall.class);

    /// Somebody else may have taken what was called: then the next one is.
    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);

    private static final int AT_ONCE = 8;

    private final SqsSettings settings;
    private final Leases leases;
    private final Parked parked;
    private final LastDeliveries lastDeliveries;
    private final Intake intake;
    private final SteadyThread thread;

    Recall(
            SqsSettings settings,
            Leases leases,
            Parked parked,
            LastDeliveries lastDeliveries,
            Intake intake) {
        this.settings = settings;
        this.leases = leases;
        this.parked = parked;
        this.lastDeliveries = lastDeliveries;
        this.intake = intake;
        this.thread =
                new SteadyThread(
                        "sluice-recall-" + settings.queue(),
                        "Parked messages could not be called back",
                        this::round);
    }

    void start() {
        intake.onRoom(
                () -> {
                    if (!parked.isEmpty() || lastDeliveries.size() > 0) {
                        thread.unpark();
                    }
                });
        thread.start();
    }

    Thread thread() {
        return thread.thread();
    }

    private boolean round() {
        LockSupport.parkNanos(this, LOOK_AGAIN.toNanos());
        if (Thread.currentThread().isInterrupted()) {
            return false;
        }
        bringIn();
        if (!parked.isEmpty()) {
            call();
        }
        return true;
    }

    private void bringIn() {
        Map<Message, String> messages = lastDeliveries.bringIn(intake::hasRoom);
        try {
            // One whose lease was lost meanwhile is somebody else's.
            List<Message> ours = messages.keySet().stream().filter(leases::holds).toList();
            if (!ours.isEmpty()) {
                // Otherwise nobody would say any more that one of them takes too long.
                ours.forEach(message -> leases.begins(message, System.nanoTime()));
                try (Reservation room = intake.reserve(ours.size())) {
                    room.deliver(ours);
                }
            }
        } catch (RuntimeException | Error e) {
            messages.forEach(
                    (message, lane) -> {
                        if (!intake.has(message)) {
                            lastDeliveries.keep(message, lane);
                        }
                    });
            throw e;
        } finally {
            lastDeliveries.arrived();
        }
    }

    private void call() {
        for (String lane : parked.lanes()) {
            int free = intake.room(lane);
            batches(parked.call(lane, free, System.nanoTime())).forEach(this::makeVisible);
        }
    }

    private static List<List<String>> batches(List<String> handles) {
        List<List<String>> batches = new ArrayList<>();
        for (int from = 0; from < handles.size(); from += Heartbeat.BATCH) {
            batches.add(handles.subList(from, Math.min(from + Heartbeat.BATCH, handles.size())));
        }
        return batches;
    }

    private void makeVisible(List<String> handles) {
        List<ChangeMessageVisibilityBatchRequestEntry> entries = new ArrayList<>();
        for (int i = 0; i < handles.size(); i++) {
            entries.add(
                    ChangeMessageVisibilityBatchRequestEntry.builder()
                            .id(Integer.toString(i))
                            .receiptHandle(handles.get(i))
                            .visibilityTimeout(0)
                            .build());
        }
        try {
            settings.client()
                    .changeMessageVisibilityBatch(
                            request -> request.queueUrl(settings.queueUrl()).entries(entries));
        } catch (RuntimeException e) {
            // They come when their time has come.
            log.warn("{} messages could not be called back: {}", handles.size(), e.toString());
        }
    }

    /// Ends, and makes everything visible that is parked.
    void close(Duration deadline) {
        close();
        List<List<String>> batches = batches(parked.callAll(System.nanoTime()));
        if (batches.isEmpty()) {
            return;
        }
        ExecutorService threads =
                Executors.newFixedThreadPool(
                        AT_ONCE, Thread.ofVirtual().name("sluice-recall-", 0).factory());
        batches.forEach(batch -> threads.execute(() -> makeVisible(batch)));
        threads.shutdown();
        try {
            if (!threads.awaitTermination(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
                int left = threads.shutdownNow().size() * Heartbeat.BATCH;
                log.warn("About {} messages come again only when their time has come.", left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
