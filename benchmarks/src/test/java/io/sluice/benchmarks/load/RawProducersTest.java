package io.sluice.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class RawProducersTest {
    private static final RequestFrame FRAME = RequestFrame.produce("t", 0, Acks.ONE, 100);

    @Test
    void everyRequestThatWasSentIsAnsweredAndTimed() throws IOException {
        try (AnsweringSocket broker = new AnsweringSocket(request -> answer(request, 0));
                RawProducers producers = producers(broker, 4, 3)) {
            LoadResult first = producers.runFor(Duration.ofMillis(50));
            LoadResult second = producers.runFor(Duration.ofMillis(50));

            assertThat(first.requests()).isGreaterThanOrEqualTo(4 * 3);
            assertThat(first.requests() + second.requests()).isEqualTo(broker.requests.get());
            assertThat(second.latencyNanos().getTotalCount()).isEqualTo(second.requests());
            assertThat(second.requestsPerSecond()).isPositive();
            assertThat(broker.connections.get()).isEqualTo(4);
        }
    }

    @Test
    void anErrorCodeEndsTheLoad() throws IOException {
        try (AnsweringSocket broker = new AnsweringSocket(request -> answer(request, 7));
                RawProducers producers = producers(broker, 1, 1)) {
            assertThatThrownBy(() -> producers.runFor(Duration.ofMillis(50)))
                    .hasMessageContaining("error code 7");
        }
    }

    @Test
    void anAnswerToAnotherRequestEndsTheLoad() throws IOException {
        try (AnsweringSocket broker =
                        new AnsweringSocket(request -> answer(request, 0).putInt(0, 4711));
                RawProducers producers = producers(broker, 1, 1)) {
            assertThatThrownBy(() -> producers.runFor(Duration.ofMillis(50)))
                    .hasMessageContaining("Answer 4711 came where 0 was expected");
        }
    }

    @Test
    void aClosedConnectionEndsTheLoad() throws IOException {
        try (AnsweringSocket broker = new AnsweringSocket(_ -> ByteBuffer.allocate(0));
                RawProducers producers = producers(broker, 2, 1)) {
            assertThatThrownBy(() -> producers.runFor(Duration.ofMillis(50)))
                    .hasRootCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void theProbeCreatesTheTopicThatTheBrokerDoesNotKnow() throws IOException {
        boolean[] created = new boolean[1];
        try (AnsweringSocket broker =
                new AnsweringSocket(
                        request -> {
                            boolean create = request.getShort(0) == 19;
                            created[0] |= create;
                            return create
                                    ? ByteBuffer.allocate(64).putInt(0, request.getInt(4))
                                    : answer(request, created[0] ? 0 : 3);
                        })) {
            Probe probe = new Probe(List.of(broker.address()), "t", 0, 1, 1);

            assertThat(probe.attempt()).isFalse();
            assertThat(probe.lastObstacle()).contains("CreateTopics answered with error code 0");
            assertThat(probe.attempt()).isTrue();
        }
    }

    /// The port is held without listening: a port that nobody holds may be given to the probe's own end, which then talks to itself.
    @Test
    void theProbeSaysWhyThereIsNoAnswer() throws IOException {
        try (Socket held = new Socket()) {
            held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Probe probe =
                    new Probe(
                            List.of((InetSocketAddress) held.getLocalSocketAddress()),
                            "t",
                            0,
                            1,
                            1);

            assertThat(probe.attempt()).isFalse();
            assertThat(probe.lastObstacle()).contains("refused");
        }
    }

    private static RawProducers producers(AnsweringSocket broker, int connections, int inFlight) {
        List<RequestFrame> frames = Collections.nCopies(connections, FRAME);
        return new RawProducers(
                Collections.nCopies(frames.size(), broker.address()), frames, inFlight);
    }

    private static ByteBuffer answer(ByteBuffer request, int error) {
        ByteBuffer answer = ByteBuffer.allocate(60);
        answer.putInt(0, request.getInt(4));
        answer.putShort(FRAME.errorCodePosition(), (short) error);
        return answer;
    }
}
