package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SupportedApisTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ServerSocket server = listen();

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void answerIsRead() throws IOException {
        answerWith(apis(0, 0, 11, 18, 0, 4));
        SupportedApis apis = SupportedApis.ask(address(), PATIENCE);
        assertThat(apis.versions())
                .containsEntry((short) 0, new SupportedApis.Versions((short) 0, (short) 11))
                .hasSize(2);
        assertThat(apis.offers((short) 0, (short) 18)).isTrue();
        assertThat(apis.offers((short) 0, (short) 24)).isFalse();
    }

    @Test
    void absurdLengthIsRefusedBeforeAnythingIsAllocated() {
        answerWith(ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).flip());
        assertThatThrownBy(() -> SupportedApis.ask(address(), PATIENCE))
                .hasMessageContaining("not an answer to Kafka's ApiVersions request");
    }

    @Test
    void absurdCountIsRefused() {
        answerWith(
                ByteBuffer.allocate(14)
                        .putInt(10)
                        .putInt(1)
                        .putShort((short) 0)
                        .putInt(1_000_000)
                        .flip());
        assertThatThrownBy(() -> SupportedApis.ask(address(), PATIENCE))
                .hasMessageContaining("count 1000000");
    }

    @Test
    void webServerIsNotTakenForABroker() {
        answerWith(
                ByteBuffer.wrap(
                        "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        assertThatThrownBy(() -> SupportedApis.ask(address(), PATIENCE))
                .hasMessageContaining("not an answer to Kafka's ApiVersions request");
    }

    @Test
    void exactlyOnceOnABrokerWithoutTransactionsIsRefusedInASentence() {
        answerWith(apis(0, 0, 11, 1, 4, 17, 18, 0, 4, 22, 0, 5));
        String servers = "127.0.0.1:" + server.getLocalPort();
        var preset = new Preset(Delivery.EXACTLY_ONCE, Profile.BALANCED);
        assertThatThrownBy(
                        () ->
                                preset.openProducer(
                                        Map.of(
                                                "bootstrap.servers",
                                                servers,
                                                "transactional.id",
                                                "billing-1"),
                                        new StringSerializer(),
                                        new StringSerializer()))
                .isInstanceOf(DeliveryUnsupportedException.class)
                .hasMessageContaining(servers)
                .hasMessageContaining("has no transactions")
                .hasMessageContaining("at-least-once");
    }

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    }

    private void answerWith(ByteBuffer answer) {
        byte[] bytes = new byte[answer.remaining()];
        answer.get(bytes);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try (var socket = server.accept()) {
                                var in = new DataInputStream(socket.getInputStream());
                                in.readNBytes(in.readInt());
                                var out = new DataOutputStream(socket.getOutputStream());
                                out.write(bytes);
                                out.flush();
                                in.read();
                            } catch (IOException e) {
                                // the test sees the missing answer
                            }
                        });
    }

    /// An ApiVersions v0 answer with triples of key, oldest and newest version.
    private static ByteBuffer apis(int... triples) {
        var answer = ByteBuffer.allocate(14 + triples.length * 2);
        answer.putInt(answer.capacity() - 4).putInt(1).putShort((short) 0);
        answer.putInt(triples.length / 3);
        for (int value : triples) {
            answer.putShort((short) value);
        }
        return answer.flip();
    }
}
