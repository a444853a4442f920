package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.sqs.ScriptedQueue.received;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.exception.SdkClientException;

/// Nothing is received, though no poll has failed and lanes have room.
@Timeout(180)
class StandstillTest {
    private final ScriptedQueue queue = new ScriptedQueue();
    private final SqsParts parts =
            new SqsParts(
                    queue,
                    SqsParts.settings(queue),
                    SqsParts.STANDARD,
                    LaneSettings.lane("all", new FixedLimit(30), job -> {}),
                    message -> "no such lane");
    private final Mover letters = parts.movers.letters();
    private final Polls polls = parts.polls();

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
        parts.teller.start();
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
            parts.lanes.stop();
            queue.close();
            polls.awaitEnd(Duration.ofSeconds(30));
            letters.close(Duration.ofSeconds(30));
            parts.teller.close(Duration.ofSeconds(30));
        }
    }
}
