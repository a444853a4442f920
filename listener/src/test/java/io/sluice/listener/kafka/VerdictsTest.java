package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
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
    private final Message message = message("m");
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final AtomicInteger heard = new AtomicInteger();

    /// The first who tells it that a letter is safe finds no memory, and whoever asks for an attempt fails too.
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
                                if (method.getName().equals("attemptAt")) {
                                    throw new StackOverflowError("simulated");
                                }
                                return null;
                            });

    private final Verdicts verdicts = new Verdicts(deadLetters, intake, () -> {});

    private static Message message(String id) {
        var ending = new Verdicts.Ending();
        Verdicts.Receipt receipt = () -> ending;
        return new Message(id, new byte[0], Map.of(), null, "p", 1, receipt);
    }

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

    @Test
    void verdictsAreTakenInTheOrderInWhichTheyCame() {
        verdicts.add(message("a"), new Settlement.Done());
        verdicts.add(message("b"), new Settlement.Done());
        verdicts.drain(
                (of, settlement, attempt) -> {
                    take(of, settlement, attempt);
                    if (of.id().equals("a")) {
                        verdicts.add(message("c"), new Settlement.Done());
                    }
                });
        assertThat(taken).containsExactly("a Done", "b Done", "c Done");
    }

    @Test
    void aVerdictWhoseAttemptCannotBeAskedForIsHeardNevertheless() {
        var cause = new IllegalStateException("no");
        verdicts.add(message, new Settlement.Retry(Duration.ZERO, cause, false));
        verdicts.drain(this::take);
        assertThat(taken).containsExactly("m Retry");
    }

    /// Where there is none for it, the message would be nobody's until the longest job's time is over.
    @Test
    void toAddAVerdictTakesNoMemory() {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var done = new Settlement.Done();
        List<Message> messages = IntStream.range(0, 100).mapToObj(i -> message("m" + i)).toList();
        long least = Long.MAX_VALUE;
        for (Message each : messages) {
            long before = threads.getCurrentThreadAllocatedBytes();
            verdicts.add(each, done);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
        verdicts.drain(this::take);
        assertThat(taken).hasSize(100);
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
