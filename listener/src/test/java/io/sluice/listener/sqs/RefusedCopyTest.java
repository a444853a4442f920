package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.sqs.ScriptedQueue.received;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.sqs.model.SendMessageRequest;
import software.amazon.awssdk.services.sqs.model.SqsException;

/// A fresh copy that its queue does not take, though it should have fitted.
@Timeout(60)
class RefusedCopyTest {
    private final Queue<SendMessageRequest> sent = new ConcurrentLinkedQueue<>();
    private final ScriptedQueue queue = new ScriptedQueue();
    private final SqsSettings settings = SqsSettings.of(queue, "http://nowhere/queue");
    private final Leases leases = new Leases(settings.lease(), settings.longestJob());
    private final Teller teller = new Teller(settings, leases, new Parked(10));
    private final Lanes lanes =
            new Lanes(
                    List.of(
                            LaneSettings.lane(
                                            "all",
                                            new FixedLimit(2),
                                            job -> {
                                                throw new IllegalStateException("not today");
                                            })
                                    .on(Runnable::run)),
                    message -> "all",
                    this::settle,
                    LaneObserver.NONE);
    private final Mover letters = new Mover("letters", settings, teller, lanes);
    private final Mover copies = new Mover("copies", settings, teller, lanes);
    private final Verdicts verdicts =
            new Verdicts(
                    settings,
                    new QueueFacts(false, 3, 262_144, "http://nowhere/dead"),
                    leases,
                    teller,
                    new Verdicts.Movers(letters, copies),
                    new LastDeliveries(),
                    lanes);

    private void settle(Message message, Settlement settlement) {
        verdicts.on(message, settlement);
    }

    private void deliver(int receives) {
        queue.sends =
                request -> {
                    sent.add(request);
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
        var message =
                new Message(
                        "m",
                        new byte[0],
                        Map.of(),
                        null,
                        "q",
                        1,
                        new Receipt(received("m"), receives));
        leases.hold(message, System.nanoTime());
        letters.start();
        copies.start();
        try (Reservation room = lanes.reserve(1)) {
            room.deliver(List.of(message));
        }
    }

    @AfterEach
    void close() {
        copies.close(Duration.ofSeconds(30));
        letters.close(Duration.ofSeconds(30));
        assertThat(copies.unbounded() + letters.unbounded()).isZero();
        assertThat(leases.held()).isZero();
    }

    @Test
    void theMessageItselfComesAgainAndItsFailureIsCountedHere() throws Exception {
        deliver(1);
        until("it comes again", () -> teller.backlog() == 1);
        assertThat(sent).as("no letter, and no copy that could not count").hasSize(1);
        assertThat(verdicts.failuresOf("m")).isEqualTo(1);
    }

    @Test
    void atItsLastDeliveryItBecomesADeadLetterWithItsCause() throws Exception {
        deliver(3);
        until("the letter is sent", () -> sent.size() == 2);
        SendMessageRequest letter = List.copyOf(sent).getLast();
        assertThat(letter.queueUrl()).endsWith("/dead");
        assertThat(letter.messageAttributes().toString()).contains("not today");
        until("the message is done", () -> teller.backlog() == 1);
    }
}
