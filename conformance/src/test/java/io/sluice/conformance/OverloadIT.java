package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceProcess;
import io.sluice.conformance.raw.Frames;
import io.sluice.conformance.raw.RawSocket;
import io.sluice.conformance.raw.RawSocket.Reaction;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Connections that want nothing, want it slowly, or want more than they take: memory stays bounded and everyone else is served.
@Tag("overload")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OverloadIT {
    private static final long MEGABYTE = 1_000_000;
    private static final int IDLE_CONNECTIONS = 10_000;

    private final SluiceProcess sluice;
    private final Clients clients;
    private final HealthyClient healthy;

    OverloadIT(@TempDir Path folder) {
        sluice = new SluiceProcess(folder).start();
        clients = new Clients(sluice.broker());
        healthy = new HealthyClient(clients);
    }

    @AfterEach
    void everyoneElseIsServed() {
        healthy.assertServed();
    }

    @AfterAll
    void close() {
        healthy.close();
        sluice.close();
    }

    @Test
    void thousandsOfIdleConnectionsDisturbNobody() throws IOException {
        assumeFilesFor(IDLE_CONNECTIONS);
        healthy.assertServed();
        long before = sluice.residentBytes();
        List<SocketChannel> idle = new ArrayList<>();
        try {
            for (int connection = 0; connection < IDLE_CONNECTIONS; connection++) {
                idle.add(SocketChannel.open(sluice.broker().address()));
            }
            healthy.assertServed();
            try (RawSocket late = new RawSocket(sluice.broker())) {
                assertThat(late.send(Frames.apiVersions()).answer().getInt()).isEqualTo(7);
            }
            assertThat(sluice.residentBytes() - before).isLessThan(300 * MEGABYTE);
        } finally {
            for (SocketChannel channel : idle) {
                channel.close();
            }
        }
    }

    /// Fewer connections would show something else, and nobody would notice: rather skip, and say so.
    private static void assumeFilesFor(int connections) {
        long limit =
                ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getMaxFileDescriptorCount();
        long needed = connections + connections / 10;
        assumeTrue(
                limit >= needed,
                "%d connections take about %d open files, and the limit here is %d: raise it with ulimit -n"
                        .formatted(connections, needed, limit));
    }

    @Test
    void slowAndHalfOpenConnectionsDisturbNobody() throws InterruptedException {
        byte[] request = Frames.apiVersions();
        List<RawSocket> slow = new ArrayList<>();
        for (int connection = 0; connection < 200; connection++) {
            slow.add(new RawSocket(sluice.broker()));
        }
        for (byte one : Arrays.copyOf(request, request.length - 1)) {
            for (RawSocket socket : slow) {
                socket.send(new byte[] {one});
            }
            Thread.sleep(Duration.ofMillis(20));
        }
        healthy.assertServed();

        // Those that finish after all are answered; the others just go away.
        byte[] last = {request[request.length - 1]};
        for (RawSocket socket : slow.subList(0, 100)) {
            assertThat(socket.send(last).answer().getInt()).isEqualTo(7);
        }
        slow.forEach(RawSocket::close);
    }

    @Test
    void aClientThatAsksAndDoesNotReadIsNotServedFromMemory() {
        String topic = clients.createTopic("greedy", 1);
        fill(topic, 20);
        healthy.assertServed();
        long before = sluice.residentBytes();
        List<RawSocket> greedy = new ArrayList<>();
        try {
            for (int connection = 0; connection < 20; connection++) {
                RawSocket socket = new RawSocket(sluice.broker());
                greedy.add(socket);
                for (int request = 0; request < 50; request++) {
                    socket.send(Frames.fetch(topic, 0, 10_000_000, 0));
                }
            }
            healthy.assertServed();
            // What they have asked for together is ten gigabytes.
            assertThat(sluice.residentBytes() - before).isLessThan(400 * MEGABYTE);
            assertThat(greedy.getFirst().reaction()).isInstanceOf(Reaction.Answer.class);
        } finally {
            greedy.forEach(RawSocket::close);
        }
    }

    @Test
    void aClientThatWaitsForEverAndVanishesLeavesNothingBehind() {
        String topic = clients.createTopic("vanishing", 1);
        for (int round = 0; round < 500; round++) {
            try (RawSocket socket = new RawSocket(sluice.broker())) {
                socket.send(Frames.fetch(topic, 0, 1_000, Integer.MAX_VALUE));
            }
        }
        healthy.assertServed();
        fill(topic, 1);
        assertThat(clients.readAll(topic, 1, 2)).hasSize(2);
    }

    private void fill(String topic, int megabytes) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer, megabytes * 2, _ -> new ProducerRecord<>(topic, "x".repeat(500_000)));
        }
    }
}
