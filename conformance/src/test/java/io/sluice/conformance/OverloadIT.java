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
import io.sluice.conformance.raw.Swarm;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Connections that want nothing, want it slowly, or want more than they take: memory stays bounded and everyone else is served.
@Tag("overload")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OverloadIT {
    private static final long MEGABYTE = 1_000_000;
    private static final int IDLE_CONNECTIONS = 10_000;
    private static final int HUGE_BYTES = 60 << 20;

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
        long needed = connections + connections / 10L;
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

    /// Sixty megabytes that would become a gigabyte of objects, from several connections at once, to a broker with a heap of 512 MiB.
    @ParameterizedTest
    @ValueSource(strings = {"Metadata", "DescribeGroups", "ListOffsets", "Fetch"})
    void hugeRequestsOfTinyThingsCloseTheirConnections(String api) throws InterruptedException {
        byte[] request =
                switch (api) {
                    case "Metadata" -> Swarm.metadata(HUGE_BYTES / 8);
                    case "DescribeGroups" -> Swarm.describeGroups(HUGE_BYTES / 8);
                    case "ListOffsets" -> Swarm.listOffsets(HUGE_BYTES / 12);
                    default -> Swarm.fetch(HUGE_BYTES / 16);
                };

        assertThat(reactions(6, request)).hasSize(6).allMatch(Reaction.Closed.class::isInstance);
    }

    /// As large as a request may be on a machine with very many cores, all in work at the same time.
    @Test
    void largeRequestsOfManyConnectionsAreAnswered() throws InterruptedException {
        assertThat(reactions(40, Swarm.metadata(15_000)))
                .hasSize(40)
                .allMatch(Reaction.Answer.class::isInstance);
        assertThat(reactions(40, Swarm.fetch(15_000)))
                .hasSize(40)
                .allMatch(Reaction.Answer.class::isInstance);
    }

    /// Each from a connection of its own, sent together.
    private List<Reaction> reactions(int connections, byte[] request) throws InterruptedException {
        List<Reaction> reactions = new CopyOnWriteArrayList<>();
        List<Thread> senders = new ArrayList<>();
        for (int connection = 0; connection < connections; connection++) {
            senders.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try (RawSocket socket = new RawSocket(sluice.broker())) {
                                            reactions.add(socket.send(request).reaction());
                                        }
                                    }));
        }
        for (Thread sender : senders) {
            sender.join();
        }
        return reactions;
    }

    private void fill(String topic, int megabytes) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer, megabytes * 2, _ -> new ProducerRecord<>(topic, "x".repeat(500_000)));
        }
    }
}
