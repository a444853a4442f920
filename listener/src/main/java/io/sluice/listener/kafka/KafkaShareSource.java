package io.sluice.listener.kafka;

import io.sluice.listener.kafka.HeldRecords.Held;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import io.sluice.listener.message.Source;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/// Topics as a source, through a share group: a queue over a topic, without partitions that belong to somebody. Needs a broker with share groups, such as Apache
/// Kafka 4.2 or newer.
///
/// | | |
/// | --- | --- |
/// | jobs at once | as many as the lanes allow |
/// | order | none: a share group has none, and a lane that wants one is refused at start |
/// | leases | the broker's lock, renewed while a job runs, up to the longest job; a lost lock cancels the job, which is then never acknowledged |
/// | received | one record per poll, when there is room (`max.poll.records`, in mode `record_limit`) |
/// | members | as many as records at work, and one that looks for the next, up to 64: a share consumer hands out nothing else as long as it renews a lock |
/// | lane full, retry | stays here with its lock renewed, because the broker archives what is given back a few times |
/// | last delivery | a dead letter, before anybody begins with it: if that worker stopped too, the broker would archive it |
/// | dead letters | in a topic of their own, then acknowledged |
/// | begins | at the topic's beginning, unless the group's settings say otherwise: see [ShareGroup] |
/// | stop | what has not ended is released |
///
/// Thread-safe: hands everything over to the threads of its loops.
public final class KafkaShareSource implements Source {
    private static final int MOST_MEMBERS = 64;

    private final KafkaSettings settings;
    private final List<ShareLoop> loops = new CopyOnWriteArrayList<>();
    private @Nullable Intake intake;
    private @Nullable ShareGroup group;
    private boolean stopping;

    public KafkaShareSource(KafkaSettings settings) {
        this.settings = settings;
        require("share.acquire.mode", "record_limit");
        require("share.acknowledgement.mode", "explicit");
    }

    private void require(String name, String only) {
        Object said = settings.client().getOrDefault(name, only);
        if (!only.equals(said)) {
            throw new IllegalArgumentException(
                    "%s=%s is not possible here: the listener takes record by record, and acknowledges each when its job has ended. Remove it."
                            .formatted(name, said));
        }
    }

    @Override
    public String name() {
        return "topic " + String.join(", ", settings.topics()) + " (share group)";
    }

    @Override
    public boolean keepsOrder() {
        return false;
    }

    @Override
    public int mostAtWork() {
        return MOST_MEMBERS;
    }

    @Override
    public synchronized void start(Intake newIntake) {
        if (intake != null) {
            throw new IllegalStateException("A source starts once; make a new one.");
        }
        new DeadLetterTopic(settings).prepare();
        group = ShareGroup.prepare(settings);
        intake = newIntake;
        grow();
    }

    /// Makes sure that somebody looks for the next record.
    private synchronized void grow() {
        Intake open = intake;
        ShareGroup known = group;
        if (open == null
                || known == null
                || stopping
                || loops.size() == MOST_MEMBERS
                || loops.stream().anyMatch(loop -> !loop.holds())) {
            return;
        }
        Map<String, Object> client = new HashMap<>(settings.client());
        client.put("share.acknowledgement.mode", "explicit");
        client.put("share.acquire.mode", "record_limit");
        client.put("max.poll.records", 1);
        var consumer =
                new KafkaShareConsumer<>(
                        client, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        var loop =
                new ShareLoop(
                        settings, known, consumer, new DeadLetterTopic(settings), open, this::grow);
        loops.add(loop);
        loop.start();
    }

    @Override
    public synchronized void stopReceiving() {
        stopping = true;
        loops.forEach(ShareLoop::stopReceiving);
    }

    @Override
    public void settle(Message message, Settlement settlement) {
        ((Held) message.receipt()).owner.settle(message, settlement);
    }

    @Override
    public @Nullable String trouble() {
        return loops.stream()
                .map(ShareLoop::trouble)
                .filter(trouble -> trouble != null)
                .findFirst()
                .orElse(null);
    }

    /// Of the one that looks for the next record.
    @Override
    public Duration idle() {
        return loops.stream().map(ShareLoop::idle).max(Duration::compareTo).orElse(Duration.ZERO);
    }

    @Override
    public Duration leaseLateness() {
        return loops.stream()
                .map(ShareLoop::lateness)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    @Override
    public void close(Duration deadline) {
        long end = System.nanoTime() + deadline.toNanos();
        loops.forEach(loop -> loop.beginClosing(deadline));
        for (ShareLoop loop : loops) {
            loop.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }
}
