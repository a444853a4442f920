package io.sluice.listener.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.LaneState;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.SendMessageRequest;
import software.amazon.awssdk.services.sqs.model.SendMessageResponse;

/// Dead letters that no queue takes.
@Timeout(60)
class MoverTest {
    private final AtomicInteger sent = new AtomicInteger();
    private final SqsClient nowhere =
            new SqsClient() {
                @Override
                public SendMessageResponse sendMessage(SendMessageRequest request) {
                    sent.incrementAndGet();
                    throw SdkClientException.create("no route to host");
                }

                @Override
                public String serviceName() {
                    return "sqs";
                }

                @Override
                public void close() {}
            };

    private final SqsSettings settings = SqsSettings.of(nowhere, "http://nowhere/queue");
    private final Leases leases = new Leases(Duration.ofSeconds(30), Duration.ofHours(1));
    private final Teller teller = new Teller(settings, leases, new Parked(10));
    private final Lanes lanes =
            new Lanes(
                    List.of(
                            LaneSettings.lane(
                                            "all",
                                            new FixedLimit(1),
                                            job -> {
                                                throw new UnprocessableException("not a PDF");
                                            })
                                    .on(Runnable::run)),
                    message -> "all",
                    this::settle,
                    LaneObserver.NONE);
    private final Mover mover = new Mover(settings, teller, lanes);

    private void settle(Message message, Settlement settlement) {
        if (settlement instanceof Settlement.DeadLetter letter) {
            mover.bury(
                    message,
                    Copy.deadLetter("http://nowhere/dead", Receipt.of(message).received(), letter));
        }
    }

    private LaneState state() {
        return lanes.states().getFirst();
    }

    @Test
    void whatCannotBeBuriedWhenTheListenerStopsGoesBackAndIsInFlightToNobody() {
        var received =
                software.amazon.awssdk.services.sqs.model.Message.builder()
                        .messageId("m")
                        .receiptHandle("handle")
                        .body("body")
                        .build();
        var message =
                new Message("m", new byte[0], Map.of(), null, "q", 1, new Receipt(received, 1));
        leases.hold(message, System.nanoTime());
        try (Reservation room = lanes.reserve(1)) {
            room.deliver(List.of(message));
        }
        assertThat(state().inFlight()).as("its slot waits for it").isEqualTo(1);

        mover.start();
        mover.close(Duration.ofSeconds(30));
        assertThat(sent).hasValue(5);
        assertThat(teller.backlog()).as("the queue is told to bring it again").isEqualTo(1);
        assertThat(leases.held()).isZero();
        assertThat(state().inFlight()).isZero();
        assertThat(state().handedBack()).isEqualTo(1);
        assertThat(state().deadLettered()).isZero();
    }
}
