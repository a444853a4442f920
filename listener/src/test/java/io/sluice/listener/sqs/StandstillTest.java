package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.sqs.ScriptedQueue.received;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.exception.SdkClientException;

/// Nothing is received, though no poll has failed and lanes have room.
@Timeout(180)
class StandstillTest {
    private final ScriptedQueue queue = new ScriptedQueue();
    private final SqsSettings settings = SqsSettings.of(queue, "http://nowhere/queue");
    private final Leases leases = new Leases(settings.lease(), settings.longestJob());
    private final Teller teller = new Teller(settings, leases, new Parked(10));
    private final Lanes lanes =
            new Lanes(
                    List.of(LaneSettings.lane("all", new FixedLimit(30), job -> {})),
                    message -> "no such lane",
                    this::settle,
                    LaneObserver.NONE);
    private final Mover letters = new Mover("letters", settings, teller, lanes);
    private final Verdicts verdicts =
            new Verdicts(
                    settings,
                    new QueueFacts(false, 0, 262_144, "http://nowhere/dead"),
                    leases,
                    teller,
                    new Verdicts.Movers(letters, new Mover("copies", settings, teller, lanes)),
                    new LastDeliveries(),
                    lanes);
    private final Polls polls = new Polls(settings, leases, verdicts, teller, lanes);

    private void settle(Message message, Settlement settlement) {
        verdicts.on(message, settlement);
    }

    private void answerTen(String prefix) {
        queue.answer(
                IntStream.range(0, 10)
                        .mapToObj(i -> received(prefix + i))
                        .toArray(software.amazon.awssdk.services.sqs.model.Message[]::new));
    }

    @Test
    void deadLettersThatNobodyTakesAreTroubleInASentence() throws Exception {
        var forbidden = new AtomicBoolean(true);
        queue.sends =
                request -> {
                    if (forbidden.get()) {
                        throw SdkClientException.create("not allowed");
                    }
                };
        answerTen("a");
        answerTen("b");
        letters.start();
        teller.start();
        polls.start();
        try {
            until("trouble", () -> polls.trouble() != null);
            assertThat(polls.trouble())
                    .startsWith("Nothing is received from queue queue: ")
                    .contains("dead letters without a slot are not stored (")
                    .contains("not allowed");

            forbidden.set(false);
            until("no trouble any more", () -> polls.trouble() == null);
        } finally {
            polls.stop();
            lanes.stop();
            queue.close();
            polls.awaitEnd(Duration.ofSeconds(30));
            letters.close(Duration.ofSeconds(30));
            teller.close(Duration.ofSeconds(30));
        }
    }
}
