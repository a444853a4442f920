package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Verdicts on their way, when memory ends before they have arrived.
@Timeout(60)
class VerdictsTest {
    private final KafkaSettings settings =
            KafkaSettings.of(Map.of("bootstrap.servers", "nowhere:1", "group.id", "g"), "orders");
    private final DeadLetterTopic deadLetters =
            new DeadLetterTopic(
                    settings,
                    client ->
                            new MockProducer<>(
                                    true,
                                    null,
                                    new ByteArraySerializer(),
                                    new ByteArraySerializer()));
    private final Message message = new Message("m", new byte[0], Map.of(), null, "p", 1, "m");
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final AtomicInteger heard = new AtomicInteger();

    /// The first who tells it that a letter is safe finds no memory.
    private final Intake intake =
            (Intake)
                    Proxy.newProxyInstance(
                            Intake.class.getClassLoader(),
                            new Class<?>[] {Intake.class},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("buried")
                                        && heard.incrementAndGet() == 1) {
                                    throw new OutOfMemoryError("simulated");
                                }
                                return method.getName().equals("attemptAt") ? 1 : null;
                            });

    private final Verdicts verdicts = new Verdicts(deadLetters, intake, () -> {});

    private void take(Message of, Settlement settlement, int attempt) {
        taken.add(of.id() + " " + settlement.getClass().getSimpleName());
    }

    @AfterEach
    void close() {
        deadLetters.close(Duration.ofSeconds(10));
    }

    @Test
    void whatCouldNotBeTakenIsTakenInTheNextRound() {
        verdicts.add(message, new Settlement.Done());
        assertThatThrownBy(
                        () ->
                                verdicts.drain(
                                        (of, settlement, attempt) -> {
                                            throw new OutOfMemoryError("simulated");
                                        }))
                .isInstanceOf(OutOfMemoryError.class);
        verdicts.drain(this::take);
        verdicts.drain(this::take);
        assertThat(taken).containsExactly("m Done");
    }

    /// Otherwise it would keep its slot, and its place in the order, for ever.
    @Test
    void aLaneThatCouldNotHearOfItsDeadLetterHearsOfItInTheNextRound() throws Exception {
        var record = new ConsumerRecord<>("orders", 0, 0L, new byte[0], new byte[0]);
        var letter = new Settlement.DeadLetter(new IllegalStateException("never"), 1);
        verdicts.bury(message, record, letter);
        until("the lane was told in vain", () -> heard.get() == 1);
        assertThat(verdicts.buries(message)).isTrue();

        verdicts.drain(this::take);
        assertThat(heard).hasValue(2);
        assertThat(taken).containsExactly("m Done");
        assertThat(verdicts.buries(message)).isFalse();
    }
}
