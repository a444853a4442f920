package io.sluice.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProbeTest {
    private static final int NOT_LEADER = 6;
    private static final int UNKNOWN_TOPIC = 3;
    private static final int CREATE_TOPICS = 19;

    @Test
    void brokersAreTriedInTurnsUntilTheLeaderAcknowledges() throws IOException {
        try (AnsweringSocket follower = new AnsweringSocket(request -> answer(request, NOT_LEADER));
                AnsweringSocket leader = new AnsweringSocket(request -> answer(request, 0))) {
            Probe probe = probe(follower.address(), leader.address());

            assertThat(probe.attempt()).isFalse();
            assertThat(probe.lastObstacle()).isEqualTo("Produce answered with error code 6");
            assertThat(probe.attempt()).isTrue();
            assertThat(follower.requests).hasValue(1);
            assertThat(leader.requests).hasValue(1);
        }
    }

    @Test
    void aBrokerThatIsGoneIsPassedOver() throws IOException {
        InetSocketAddress gone;
        try (AnsweringSocket closed = new AnsweringSocket(request -> request)) {
            gone = closed.address();
        }
        try (AnsweringSocket leader = new AnsweringSocket(request -> answer(request, 0))) {
            Probe probe = probe(gone, leader.address());

            assertThat(probe.attempt()).isFalse();
            assertThat(probe.attempt()).isTrue();
        }
    }

    @Test
    void aTopicThatIsNotKnownIsCreatedOnTheWay() throws IOException {
        try (AnsweringSocket broker =
                new AnsweringSocket(request -> answer(request, UNKNOWN_TOPIC))) {
            Probe probe = probe(broker.address());

            assertThat(probe.attempt()).isFalse();
            assertThat(probe.lastObstacle()).isEqualTo("CreateTopics answered with error code 3");
            assertThat(broker.requests).hasValue(2);
        }
    }

    private static Probe probe(InetSocketAddress... brokers) {
        return new Probe(List.of(brokers), "t", 0, 3, 2);
    }

    /// The code stands where both kinds of answers have it.
    private static ByteBuffer answer(ByteBuffer request, int error) {
        int position =
                request.getShort(0) == CREATE_TOPICS
                        ? RequestFrame.createTopic("t", 1, 3, 2).errorCodePosition()
                        : RequestFrame.produce("t", 0, Acks.ALL, 1).errorCodePosition();
        return ByteBuffer.allocate(64).putInt(0, request.getInt(4)).putShort(position, (short) error);
    }
}
