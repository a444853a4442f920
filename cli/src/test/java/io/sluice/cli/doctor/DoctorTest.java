package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.BrokerUnderTest;
import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import io.sluice.cli.Cli;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DoctorTest {
    @Test
    void missingBrokerIsAProblemWithItsFix() {
        var result = Cli.withoutBroker().run("doctor");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).contains("127.0.0.1:1 refuses connections");
        assertThat(result.err()).contains("./sluice up");
    }

    @Test
    void strangerOnThePortIsNamed() throws IOException {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            serve(
                    server,
                    _ ->
                            ByteBuffer.wrap(
                                    "HTTP/1.1 400 No\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            var result = run(server);
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.out())
                    .contains("does not speak Kafka's protocol")
                    .contains("process " + ProcessHandle.current().pid());
        }
    }

    /// The most common failure of all: the first answer comes, and sends the client to a place it cannot reach.
    @Test
    void unreachableAdvertisedAddressIsFound() throws IOException {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            serve(server, api -> api == 18 ? noApis() : brokerAt("127.0.0.1", 1));
            var result = run(server);
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.out())
                    .contains("broker 7 advertises 127.0.0.1:1, which refuses connections");
            assertThat(result.err()).contains("advertised address that this machine can reach");
        }
    }

    @Test
    void unresolvableAdvertisedAddressIsFound() throws IOException {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            serve(server, api -> api == 18 ? noApis() : brokerAt("broker.invalid", 9092));
            assertThat(run(server).out()).contains("broker.invalid:9092", "does not resolve");
        }
    }

    @Test
    void thresholdsDecide() {
        assertThat(MachineChecks.java(17).verdict()).isEqualTo(Finding.Verdict.PROBLEM);
        assertThat(MachineChecks.java(25).verdict()).isEqualTo(Finding.Verdict.OK);
        assertThat(MachineChecks.openFiles(1_024).verdict()).isEqualTo(Finding.Verdict.WARNING);
        assertThat(MachineChecks.openFiles(1 << 20).verdict()).isEqualTo(Finding.Verdict.OK);
        Path data = Path.of("data");
        long gib = 1L << 30;
        assertThat(MachineChecks.disk(data, gib / 2, 100 * gib).verdict())
                .isEqualTo(Finding.Verdict.PROBLEM);
        assertThat(MachineChecks.disk(data, 5 * gib, 100 * gib).verdict())
                .isEqualTo(Finding.Verdict.WARNING);
        assertThat(MachineChecks.disk(data, 50 * gib, 100 * gib).verdict())
                .isEqualTo(Finding.Verdict.OK);
        assertThat(ClockCheck.judge(Duration.ofSeconds(1)).verdict()).isEqualTo(Finding.Verdict.OK);
        assertThat(ClockCheck.judge(Duration.ofSeconds(-90)).detail())
                .contains("1 min 30 s behind");
        assertThat(ClockCheck.judge(Duration.ofSeconds(90)).detail()).contains("ahead of");
    }

    @Test
    void dataDirectoryThatDoesNotExistYetIsLookedAtByItsParent(@TempDir Path dir) {
        var result = Cli.withoutBroker().run("doctor", "--data", dir.resolve("a/b/c").toString());
        assertThat(result.out()).contains("free at " + dir);
    }

    @Test
    @ExtendWith(BrokerUnderTest.class)
    void healthyBrokerIsHealthy(BrokerAddress broker) {
        var result = Cli.at(broker).run("doctor", "--write", "--admin", "http://127.0.0.1:1");
        assertThat(result.exitCode()).as(result.out()).isEqualTo(0);
        assertThat(result.out())
                .contains("speaks Kafka's protocol", "reachable from here", "clock agrees");
        assertThat(Cli.at(broker).run("topic", "list", "sluice-doctor-*").exitCode())
                .as("nothing is left behind")
                .isEqualTo(3);
    }

    private static Cli.Result run(ServerSocket server) {
        return Cli.at(new BrokerAddress("127.0.0.1:" + server.getLocalPort()))
                .run("doctor", "--timeout", "2s", "--admin", "http://127.0.0.1:1");
    }

    private interface Answers {
        /// The bytes of an answer to a request of that API, with their length in front.
        ByteBuffer to(short api);
    }

    /// Answers one request per connection, and lets connections go that ask nothing.
    private static void serve(ServerSocket server, Answers answers) {
        Thread.ofVirtual()
                .start(
                        () -> {
                            while (!server.isClosed()) {
                                try (var socket = server.accept()) {
                                    var in = new DataInputStream(socket.getInputStream());
                                    byte[] request = in.readNBytes(in.readInt());
                                    ByteBuffer answer =
                                            answers.to(ByteBuffer.wrap(request).getShort());
                                    byte[] bytes = new byte[answer.remaining()];
                                    answer.get(bytes);
                                    var out = new DataOutputStream(socket.getOutputStream());
                                    out.write(bytes);
                                    out.flush();
                                } catch (IOException e) {
                                    // a connection without a question, or the end of the test
                                }
                            }
                        });
    }

    private static ByteBuffer noApis() {
        return ByteBuffer.allocate(14).putInt(10).putInt(1).putShort((short) 0).putInt(0).flip();
    }

    /// The start of a Metadata answer, version 4.
    private static ByteBuffer brokerAt(String host, int port) {
        byte[] name = host.getBytes(StandardCharsets.US_ASCII);
        int size = 4 + 4 + 4 + 4 + 2 + name.length + 4 + 2;
        ByteBuffer answer = ByteBuffer.allocate(4 + size).putInt(size).putInt(1).putInt(0);
        answer.putInt(1).putInt(7).putShort((short) name.length).put(name).putInt(port);
        return answer.putShort((short) -1).flip();
    }
}
