package io.sluice.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProbeTest {
    private static final int NOT_LEADER = 6;

    @Test
    void brokersAreTriedInTurnsUntilTheLeaderAcknowledges() throws IOException {
        try (AnsweringSocket follower =
                        new AnsweringSocket(request -> answer(request, NOT_LEADER));
                AnsweringSocket leader = new AnsweringSocket(request -> answer(request, 0))) {
            Probe probe = probe(follower.address(), leader.address());

            assertThat(probe.attempt()).isFalse();
            assertThat(probe.lastObstacle()).isEqualTo("Produce answered with error code 6");
            assertThat(probe.attempt()).isTrue();
            assertThat(follower.requests).hasValue(1);
            assertThat(leader.requests).hasValue(1);
        }
    }

    /// The port is held without listening: a port that nobody holds may be given to the probe's own end, which then talks to itself.
    @Test
    void aBrokerThatIsGoneIsPassedOver() throws IOException {
        try (Socket held = new Socket();
                AnsweringSocket leader = new AnsweringSocket(request -> answer(request, 0))) {
            held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Probe probe = probe((InetSocketAddress) held.getLocalSocketAddress(), leader.address());

            assertThat(probe.attempt()).isFalse();
            assertThat(probe.attempt()).isTrue();
        }
    }

    private static Probe probe(InetSocketAddress... brokers) {
        return new Probe(List.of(brokers), "t", 0, 3, 2);
    }

    private static ByteBuffer answer(ByteBuffer request, int error) {
        int position = RequestFrame.produce("t", 0, Acks.ALL, 1).errorCodePosition();
        return ByteBuffer.allocate(64)
                .putInt(0, request.getInt(4))
                .putShort(position, (short) error);
    }
}
