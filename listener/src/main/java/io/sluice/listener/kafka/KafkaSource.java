package io.sluice.listener.kafka;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import io.sluice.listener.message.Source;
import java.time.Duration;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/// Topics as a source, through a consumer group of any Kafka-compatible broker.
///
/// | | |
/// | --- | --- |
/// | jobs at once | as many as the lanes allow, however few partitions there are |
/// | order | none, per key, or per partition: the lane's choice |
/// | commit | up to the first record that is not done: at least once, and nothing skipped |
/// | lane full, retry | the record is fetched again later; nothing waits in memory, nobody behind it waits |
/// | rebalance | jobs of revoked partitions get time to end and are committed; the others are cancelled and run at the new owner |
/// | no room | partitions are paused; the membership in the group goes on |
/// | dead letters | in a topic of their own, with cause, attempts and origin as headers |
///
/// Thread-safe: hands everything over to the thread of its loop.
public final class KafkaSource implements Source {
    private final KafkaSettings settings;
    private final TopicWatch watch;
    private @Nullable ConsumerLoop loop;

    public KafkaSource(KafkaSettings settings) {
        this.settings = settings;
        this.watch = new TopicWatch(settings, this::idle);
    }

    @Override
    public String name() {
        return "topic " + String.join(", ", settings.topics());
    }

    @Override
    public synchronized void start(Intake intake) {
        if (loop != null) {
            throw new IllegalStateException("A source starts once; make a new one.");
        }
        var deadLetters = new DeadLetterTopic(settings);
        deadLetters.prepare();
        var consumer =
                new KafkaConsumer<>(
                        settings.consumer(),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        loop = new ConsumerLoop(settings, consumer, deadLetters, intake);
        loop.start();
        watch.start();
    }

    @Override
    public void stopReceiving() {
        requireLoop().stopReceiving();
    }

    @Override
    public void settle(Message message, Settlement settlement) {
        requireLoop().settle(message, settlement);
    }

    @Override
    public @Nullable String trouble() {
        String trouble = requireLoop().trouble();
        return trouble == null ? watch.trouble() : trouble;
    }

    @Override
    public Duration idle() {
        return requireLoop().idle();
    }

    @Override
    public void close(Duration deadline) {
        watch.close();
        requireLoop().close(deadline);
    }

    private synchronized ConsumerLoop requireLoop() {
        if (loop == null) {
            throw new IllegalStateException("The source has not started.");
        }
        return loop;
    }
}
