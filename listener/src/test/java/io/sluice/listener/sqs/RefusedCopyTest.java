package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.sqs.ScriptedQueue.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.sqs.model.SendMessageRequest;
import software.amazon.awssdk.services.sqs.model.SqsException;

/// A fresh copy that its queue does not take, though it should have fitted.
@Timeout(60)
class RefusedCopyTest {
    private final ScriptedQueue queue = new ScriptedQueue();
    private final SqsParts parts =
            new SqsParts(
                    queue,
                    new QueueFacts(false, 3, 262_144, "http://nowhere/dead"),
                    LaneSettings.lane(
                                    "all",
                                    new FixedLimit(2),
                                    job -> {
                                        throw new IllegalStateException("not today");
                                    })
                            .on(Runnable::run));

    private void deliver(int receives) {
        queue.sends =
                request -> {
                    if (request.queueUrl().endsWith("/queue")) {
                        throw SqsException.builder()
                                .statusCode(400)
                                .awsErrorDetails(
                                        AwsErrorDetails.builder()
                                                .errorCode("InvalidParameterValue")
                                                .build())
                                .build();
                    }
                };
        parts.movers.letters().start();
        parts.movers.copies().start();
        parts.deliver(message("m", receives));
    }

    @AfterEach
    void close() {
        parts.movers.copies().close(Duration.ofSeconds(30));
        parts.movers.letters().close(Duration.ofSeconds(30));
        assertThat(parts.movers.unbounded()).isZero();
        assertThat(parts.leases.held()).isZero();
    }

    @Test
    void theMessageItselfComesAgainAndItsFailureIsCountedHere() throws Exception {
        deliver(1);
        until("it comes again", () -> parts.teller.backlog() == 1);
        assertThat(queue.sent).as("no letter, and no copy that could not count").hasSize(1);
        assertThat(parts.verdicts.failuresOf("m")).isEqualTo(1);
    }

    @Test
    void atItsLastDeliveryItBecomesADeadLetterWithItsCause() throws Exception {
        deliver(3);
        until("the letter is sent", () -> queue.sent.size() == 2);
        SendMessageRequest letter = List.copyOf(queue.sent).getLast();
        assertThat(letter.queueUrl()).endsWith("/dead");
        assertThat(letter.messageAttributes().toString()).contains("not today");
        until("the message is done", () -> parts.teller.backlog() == 1);
    }
}
