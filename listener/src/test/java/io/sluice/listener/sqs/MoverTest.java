package io.sluice.listener.sqs;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.sqs.ScriptedQueue.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.LaneState;
import io.sluice.listener.limit.FixedLimit;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.sqs.model.SendMessageRequest;
import software.amazon.awssdk.services.sqs.model.SqsException;

/// Dead letters and a queue for them that takes none, or not at once.
@Timeout(60)
class MoverTest {
    private final ScriptedQueue queue = new ScriptedQueue();
    private final SqsParts parts =
            new SqsParts(
                    queue,
                    SqsSettings.of(queue, "http://nowhere/queue.fifo"),
                    new QueueFacts(true, 3, 262_144, "http://nowhere/dead.fifo"),
                    LaneSettings.lane(
                                    "all",
                                    new FixedLimit(2),
                                    job -> {
                                        if (job.message().id().equals("again")) {
                                            throw new IllegalStateException("not today");
                                        }
                                        throw new UnprocessableException("not a PDF");
                                    })
                            .on(Runnable::run),
                    message -> message.id().equals("stray") ? "no such lane" : "all");
    private final Mover mover = parts.movers.letters();
    private final Queue<SendMessageRequest> sent = queue.sent;

    private LaneState state() {
        return parts.state();
    }

    private void deliver(String id, int receives) {
        parts.deliver(message(id, receives));
    }

    private static void noRoute() {
        throw SdkClientException.create("no route to host");
    }

    @AfterEach
    void everythingHasEnded() {
        mover.close(Duration.ofSeconds(30));
        assertThat(mover.unbounded()).isZero();
        assertThat(parts.leases.held()).isZero();
        assertThat(state().inFlight()).isZero();
    }

    @Test
    void whatCannotBeBuriedWhenTheListenerStopsGoesBackAndIsInFlightToNobody() {
        queue.sends = request -> noRoute();
        deliver("m", 1);
        assertThat(state().inFlight()).as("its slot waits for it").isEqualTo(1);
        assertThat(mover.unbounded()).as("which bounds it").isZero();

        mover.start();
        mover.close(Duration.ofSeconds(30));
        assertThat(sent).hasSize(5);
        assertThat(parts.teller.backlog()).as("the queue is told to bring it again").isEqualTo(1);
        assertThat(state().handedBack()).isEqualTo(1);
        assertThat(state().deadLettered()).isZero();
    }

    /// Given back, it would be moved by its queue, without its cause.
    @Test
    @DisplayName("Q36: at the last delivery a dead letter is sent again until it arrives")
    void atTheLastDeliveryNobodyGivesUp() throws Exception {
        queue.sends =
                request -> {
                    if (sent.size() <= 6) {
                        noRoute();
                    }
                };
        deliver("m", 3);
        mover.start();
        until("it is buried", () -> state().deadLettered() == 1);
        assertThat(sent).hasSize(7);
        assertThat(List.copyOf(sent).getLast().messageAttributes()).containsKey("sluice-cause");
    }

    /// Polls stop at twenty of them.
    @Test
    void deadLettersWithoutASlotAreCounted() {
        deliver("stray", 1);
        assertThat(mover.unbounded()).isEqualTo(1);
        deliver("again", 3);
        assertThat(state().inFlight()).as("a retry has left its slot").isZero();
        assertThat(mover.unbounded()).as("but is at its last delivery").isEqualTo(2);
        mover.start();
    }

    @Test
    void whatThrowsAtTheEndOfOneMoveDoesNotEndTheNext() throws Exception {
        var broken = new AtomicBoolean(true);
        parts.lanes.onRoom(
                () -> {
                    if (sent.size() == 1 && broken.getAndSet(false)) {
                        throw new StackOverflowError("a callback");
                    }
                });
        deliver("first", 1);
        deliver("second", 1);
        mover.start();
        until("both are buried", () -> state().deadLettered() == 2);
        assertThat(broken).isFalse();
    }

    @Test
    void whatHangsWhenTheListenerStopsGoesBackAndWhatIsBehindItToo() throws Exception {
        var hangs = new CountDownLatch(1);
        var ends = new CountDownLatch(1);
        queue.sends =
                request -> {
                    hangs.countDown();
                    awaitWhateverHappens(ends);
                };
        deliver("first", 1);
        deliver("second", 1);
        mover.start();
        hangs.await();

        mover.close(Duration.ZERO);
        try {
            assertThat(parts.teller.backlog()).as("both come again").isEqualTo(2);
            assertThat(parts.leases.held()).isZero();
            assertThat(state().inFlight()).isZero();
            assertThat(state().handedBack()).isEqualTo(2);
        } finally {
            ends.countDown();
        }
    }

    /// As a client does that cannot be interrupted.
    private static void awaitWhateverHappens(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400, InvalidParameterValue, true",
        "400, InvalidParameterValueException, true",
        "400, InvalidMessageContents, true",
        "413, RequestEntityTooLarge, true",
        "403, AccessDenied, false",
        "400, KmsThrottled, false",
        "400, RequestThrottled, false",
        "503, ServiceUnavailable, false"
    })
    void onlyALetterThatDoesNotFitGoesWithoutItsReason(int status, String code, boolean bare)
            throws Exception {
        queue.sends =
                request -> {
                    if (sent.size() == 1) {
                        throw SqsException.builder()
                                .statusCode(status)
                                .awsErrorDetails(AwsErrorDetails.builder().errorCode(code).build())
                                .build();
                    }
                };
        deliver("m", 1);
        mover.start();
        until("it is buried", () -> state().deadLettered() == 1);
        assertThat(sent).hasSize(2);
        SendMessageRequest last = List.copyOf(sent).getLast();
        assertThat(last.messageAttributes().containsKey("sluice-cause")).isEqualTo(!bare);
    }
}
