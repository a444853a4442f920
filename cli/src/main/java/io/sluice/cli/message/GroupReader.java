package io.sluice.cli.message;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.client.ConsumeLoop;
import io.sluice.client.OnFailure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// Reads as a member of a group and commits as the delivery demands.
///
/// Owned by the main thread; a watchdog thread ends it when nothing comes.
final class GroupReader {
    private static final long WATCH_MILLIS = 100;

    private final Session session;
    private final TailCommand options;
    private final String group;
    private final AtomicLong lastSeen = new AtomicLong();
    private final AtomicBoolean idledOut = new AtomicBoolean();

    GroupReader(Session session, TailCommand options, String group) {
        this.session = session;
        this.options = options;
        this.group = group;
    }

    ExitCode read(Shown shown) {
        Map<String, Object> settings = new HashMap<>(session.cluster().settings().forReading());
        settings.put("group.id", group);
        Consumer<byte[], byte[]> consumer =
                options.presetOptions
                        .preset()
                        .openConsumer(
                                settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        var loop = new AtomicReference<ConsumeLoop<byte[], byte[]>>();
        loop.set(
                new ConsumeLoop<>(
                        consumer,
                        options.presetOptions.delivery(),
                        OnFailure.stop(),
                        record -> {
                            shown.show(record);
                            // Shown means seen: only then may the offset be committed.
                            shown.flush();
                            lastSeen.set(System.nanoTime());
                            if (shown.full()) {
                                loop.get().stop();
                            }
                        }));
        session.onInterrupt(loop.get()::stop);
        lastSeen.set(System.nanoTime());
        Thread watchdog = Thread.ofVirtual().start(() -> stopWhenIdle(loop.get()));
        loop.get().run(List.of(options.topic));
        watchdog.interrupt();
        if (idledOut.get() && options.count != Long.MAX_VALUE) {
            session.note("Only " + shown.total() + " of " + options.count + " messages came.");
            return ExitCode.TIMEOUT;
        }
        return ExitCode.OK;
    }

    private void stopWhenIdle(ConsumeLoop<?, ?> loop) {
        if (options.idle == null) {
            return;
        }
        try {
            while (System.nanoTime() - lastSeen.get() <= options.idle.toNanos()) {
                Thread.sleep(WATCH_MILLIS);
            }
            idledOut.set(true);
            loop.stop();
        } catch (InterruptedException e) {
            // the loop has ended by itself
        }
    }
}
