package io.sluice.outbox.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A page follows the one before into the producer; where anything else is sent next, it leaves no more. kafka-clients' own producer without a broker tells what it was given.
@Timeout(60)
class PublisherTest {
    private static final List<Numbered> FIRST = page(1, 2);
    private static final List<Numbered> SECOND = page(3, 4);
    private static final List<Numbered> THIRD = page(5, 6);

    private final List<MockProducer<byte[], byte[]>> producers = new ArrayList<>();
    private volatile boolean isTrusted = true;
    private final Publisher publisher =
            new Publisher(
                    "topic",
                    event -> Headers.numbered("topic", event),
                    Map.of(),
                    () -> isTrusted,
                    settings -> {
                        producers.add(
                                new MockProducer<>(
                                        false,
                                        null,
                                        new ByteArraySerializer(),
                                        new ByteArraySerializer()));
                        return producers.getLast();
                    },
                    new LeftBehind());

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    void aPageIsHandedOverBeforeTheOneBeforeItIsAnswered() throws Exception {
        Outcome first = publisher.publish(FIRST, whenGiven(4, this::completeTwo), () -> SECOND);
        assertThat(first.acknowledged()).isEqualTo(FIRST);
        assertThat(given(0)).containsExactly("1", "2", "3", "4");
        List<Numbered> again = copies(SECOND); // A round is made anew once the one before is done.
        Outcome second = publisher.publish(again, whenGiven(6, this::completeAll), () -> THIRD);
        assertThat(second.acknowledged())
                .usingElementComparator((one, other) -> one == other ? 0 : 1)
                .isEqualTo(again);
        assertThat(second.refused()).isEmpty();
        Outcome third = publisher.publish(THIRD, whenGiven(6, this::completeAll));
        assertThat(third.acknowledged()).isEqualTo(THIRD);
        assertThat(given(0)).as("each once").containsExactly("1", "2", "3", "4", "5", "6");
        assertThat(producers).hasSize(1);
    }

    @Test
    void whatIsOnItsWayLeavesNoMoreWhereSomethingElseIsSent() throws Exception {
        publisher.publish(FIRST, whenGiven(4, this::completeTwo), () -> SECOND);
        publisher.publish(THIRD, whenGiven(2, this::completeAll));
        assertThat(producers.getFirst().closed()).isTrue();
        assertThat(given(1)).containsExactly("5", "6");
    }

    /// Its events have other numbers now.
    @Test
    void whatIsOnItsWayWithOtherNumbersLeavesNoMore() throws Exception {
        publisher.publish(FIRST, whenGiven(4, this::completeTwo), () -> SECOND);
        List<Numbered> later = SECOND.stream().map(each -> new Numbered(each.event(), 70)).toList();
        publisher.publish(later, whenGiven(2, this::completeAll));
        assertThat(producers.getFirst().closed()).isTrue();
        assertThat(given(1)).containsExactly("3", "4");
    }

    @Test
    void whatIsCalledBackLeavesNoMore() throws Exception {
        publisher.publish(FIRST, whenGiven(4, this::completeTwo), () -> SECOND);
        publisher.callBack();
        assertThat(producers.getFirst().closed()).isTrue();
    }

    @Test
    void aProducerWithNothingOnItsWayStays() throws Exception {
        publisher.publish(FIRST, whenGiven(2, this::completeAll));
        publisher.callBack();
        publisher.publish(THIRD, whenGiven(4, this::completeAll));
        assertThat(producers).hasSize(1);
    }

    @Test
    void whatIsBehindAFailedPageLeavesNoMore() throws Exception {
        Outcome first = publisher.publish(FIRST, whenGiven(4, this::fail), () -> SECOND);
        assertThat(first.refused()).isPresent();
        assertThat(producers.getFirst().closed()).isTrue();
        Outcome again = publisher.publish(FIRST, whenGiven(2, this::completeAll));
        assertThat(again.acknowledged()).isEqualTo(FIRST);
        publisher.publish(SECOND, whenGiven(4, this::completeAll));
        assertThat(given(1)).containsExactly("1", "2", "3", "4");
    }

    @Test
    void whatIsBehindAPageThatIsGivenUpLeavesNoMore() throws Exception {
        publisher.publish(FIRST, () -> producers.isEmpty() || given(0).size() < 4, () -> SECOND);
        assertThat(producers.getFirst().closed()).isTrue();
    }

    /// The relay may not publish for a moment, in which its lease is renewed.
    @Test
    void nothingFollowsAPageThatWasHandedOverInPart() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        List<Numbered> many = page(1, 200_000);
        BooleanSupplier notTheSecondTime =
                () -> {
                    if (asked.incrementAndGet() > 2) {
                        var _ = CompletableFuture.runAsync(this::completeAll);
                    }
                    return asked.get() != 2;
                };
        Outcome outcome =
                publisher.publish(
                        many,
                        notTheSecondTime,
                        () -> {
                            throw new AssertionError("asked what comes behind the rest");
                        });
        assertThat(outcome.acknowledged()).hasSizeBetween(1, many.size() - 1);
        assertThat(outcome.refused()).isEmpty();
    }

    /// The database does not answer, so the lease ends while the thread waits for what comes next.
    @Test
    void whatIsOnItsWayLeavesNoMoreOnceTheLeaseIsInDoubt() throws Exception {
        Outcome outcome =
                publisher.publish(
                        FIRST,
                        () -> true,
                        () -> {
                            isTrusted = false;
                            while (!producers.getFirst().closed()) {
                                Thread.onSpinWait();
                            }
                            fail();
                            return SECOND;
                        });
        assertThat(outcome.refused()).isPresent();
        assertThat(given(0)).containsExactly("1", "2");
    }

    /// Asked again and again while answers are awaited; with the second event the first is answered.
    private BooleanSupplier whenGiven(int count, Runnable then) {
        AtomicBoolean done = new AtomicBoolean();
        return () -> {
            if (!producers.isEmpty()
                    && producers.getLast().history().size() == count
                    && !done.getAndSet(true)) {
                var _ = CompletableFuture.runAsync(then); // As the producer's own thread does.
            }
            return true;
        };
    }

    private void completeTwo() {
        producers.getLast().completeNext();
        producers.getLast().completeNext();
    }

    private void completeAll() {
        MockProducer<byte[], byte[]> producer = producers.getLast();
        while (producer.completeNext()) {}
    }

    /// Of the one that there is now.
    private void fail() {
        MockProducer<byte[], byte[]> producer = producers.getLast();
        while (producer.errorNext(new NotLeaderOrFollowerException("elsewhere"))) {}
    }

    private List<String> given(int producer) {
        return producers.get(producer).history().stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .toList();
    }

    private static List<Numbered> copies(List<Numbered> events) {
        return events.stream().map(each -> new Numbered(each.event(), each.sequence())).toList();
    }

    private static List<Numbered> page(long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(
                        ord ->
                                new Numbered(
                                        new Event(
                                                ord,
                                                0,
                                                Long.toString(ord),
                                                "key",
                                                Map.of(),
                                                Event.Payload.of(Long.toString(ord)),
                                                0),
                                        ord))
                .toList();
    }
}
