package io.sluice.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.message.BrokerHeartbeatRequest;
import io.sluice.kafka.wire.message.BrokerHeartbeatResponse;
import io.sluice.partition.ManualTime;
import io.sluice.replication.PeerFailure.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PeerConnectionTest {
    private static final short VERSION = 1;
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final ManualTime time = new ManualTime();
    private final Mailbox home = time.mailbox();
    private final ScriptedNetwork network = new ScriptedNetwork();
    private final TreeMap<Integer, PeerAddress> book = new TreeMap<>();
    private final List<String> losses = new ArrayList<>();
    private final Peers peers =
            new Peers(
                    "test",
                    network,
                    time,
                    home,
                    book::get,
                    (broker, failure) -> losses.add(broker + " " + failure.kind()));

    PeerConnectionTest() {
        book.put(2, new PeerAddress(2, "host2", 9092));
    }

    private Reply<ApiResponse> ask(int broker) {
        Reply<ApiResponse> reply = new Reply<>();
        home.post(
                () ->
                        peers.ask(
                                        broker,
                                        BrokerHeartbeatRequest.builder().brokerId(1).build(),
                                        VERSION,
                                        TIMEOUT)
                                .then(reply::complete, reply::fail));
        time.turn();
        return reply;
    }

    private void answer(boolean mayStop) {
        network.last().answer(BrokerHeartbeatResponse.builder().shouldShutDown(mayStop).build());
        time.turn();
    }

    private static Kind failureOf(Reply<ApiResponse> reply) {
        assertThat(reply.failure()).isInstanceOf(PeerFailure.class);
        return ((PeerFailure) Objects.requireNonNull(reply.failure())).kind();
    }

    @Test
    void questionsShareAConnectionAndAnswersComeInTheirOrder() {
        Reply<ApiResponse> first = ask(2);
        Reply<ApiResponse> second = ask(2);
        assertThat(network.connections).hasSize(1);
        assertThat(network.last().to).isEqualTo("host2:9092");
        answer(true);
        assertThat(second.isDone()).isFalse();
        answer(false);
        assertThat(((BrokerHeartbeatResponse) first.value()).shouldShutDown()).isTrue();
        assertThat(((BrokerHeartbeatResponse) second.value()).shouldShutDown()).isFalse();
    }

    @Test
    void aBreakFailsEverybodyWhoWaitsAndIsToldOnce() {
        Reply<ApiResponse> first = ask(2);
        Reply<ApiResponse> second = ask(2);
        network.last().breakOff(false);
        time.turn();
        assertThat(failureOf(first)).isEqualTo(Kind.BROKEN);
        assertThat(failureOf(second)).isEqualTo(Kind.BROKEN);
        assertThat(losses).containsExactly("2 BROKEN");
    }

    @Test
    void aRefusalIsToldFromABreak() {
        network.refusing = true;
        assertThat(failureOf(ask(2))).isEqualTo(Kind.REFUSED);
        assertThat(losses).containsExactly("2 REFUSED");
    }

    @Test
    void afterAFailureNothingIsTriedForALittleWhile() {
        network.refusing = true;
        ask(2);
        assertThat(failureOf(ask(2))).isEqualTo(Kind.NOT_SENT);
        assertThat(network.connections).hasSize(1);
        time.advance(Duration.ofMillis(20));
        ask(2);
        assertThat(network.connections).hasSize(2);
        // The pauses grow, up to a second.
        time.advance(Duration.ofMillis(20));
        assertThat(failureOf(ask(2))).isEqualTo(Kind.NOT_SENT);
        for (int i = 0; i < 20; i++) {
            time.advance(Duration.ofSeconds(1));
            ask(2);
        }
        assertThat(network.connections).hasSize(22);
        network.refusing = false;
        time.advance(Duration.ofSeconds(1));
        Reply<ApiResponse> answered = ask(2);
        answer(false);
        assertThat(answered.isDone()).isTrue();
        network.last().breakOff(false);
        time.turn();
        time.advance(Duration.ofMillis(20));
        ask(2);
        assertThat(network.last().open()).as("an answer has made the pauses short again").isOne();
    }

    @Test
    void aLateAnswerEndsTheConnectionSinceAllOthersWaitBehindIt() {
        Reply<ApiResponse> late = ask(2);
        time.advance(TIMEOUT.minusMillis(1));
        Reply<ApiResponse> behind = ask(2);
        assertThat(late.isDone()).isFalse();
        time.advance(Duration.ofMillis(1));
        assertThat(failureOf(late)).isEqualTo(Kind.TIMED_OUT);
        assertThat(failureOf(behind)).isEqualTo(Kind.TIMED_OUT);
        assertThat(network.last().closedFromHere).isTrue();
        assertThat(losses).containsExactly("2 TIMED_OUT");
    }

    @Test
    void whatDoesNotFitIsTakenForABreak() {
        Reply<ApiResponse> reply = ask(2);
        network.last().deliver(ByteBuffer.allocate(4).putInt(77).flip());
        time.turn();
        assertThat(failureOf(reply)).isEqualTo(Kind.BROKEN);
        assertThat(network.last().closedFromHere).isTrue();
    }

    @Test
    void aBrokerThatHasMovedIsAskedWhereItIsNow() {
        ask(2);
        answer(false);
        book.put(2, new PeerAddress(2, "elsewhere", 9093));
        ask(2);
        assertThat(network.connections.getFirst().closedFromHere).isTrue();
        assertThat(network.last().to).isEqualTo("elsewhere:9093");
    }

    @Test
    void nobodyKnowsWhereABrokerIs() {
        assertThat(failureOf(ask(9))).isEqualTo(Kind.NOT_SENT);
        assertThat(network.connections).isEmpty();
    }
}
