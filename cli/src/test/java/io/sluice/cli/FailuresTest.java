package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What went wrong, told apart by more than kafka-clients' words.
@Timeout(60)
class FailuresTest {
    private static final String ABSENT = "Topic orders not present in metadata after 1000 ms.";

    @Test
    void aTopicThatTheBrokerSaysDoesNotExistIsNotFound() {
        Failure failure =
                Failures.of(
                        new TimeoutException(ABSENT, new UnknownTopicOrPartitionException()),
                        "here:9092");
        assertThat(failure.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(failure).hasMessageContaining("does not exist");
    }

    @Test
    void aTopicOfWhichNobodyToldAnythingIsATimeout() {
        Failure failure = Failures.of(new TimeoutException(ABSENT), "here:9092");
        assertThat(failure.exitCode()).isEqualTo(ExitCode.TIMEOUT);
        assertThat(failure)
                .hasMessageContaining("here:9092 did not answer in time")
                .hasMessageNotContaining("does not exist");
    }

    @Test
    void aPartitionThatIsNotThereIsNotFound() {
        Failure failure =
                Failures.of(
                        new TimeoutException(
                                "Partition 7 of topic orders with partition count 1 is not present in metadata after 1000 ms."),
                        "here:9092");
        assertThat(failure.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(failure).hasMessageContaining("no such partition");
    }

    @Test
    void whoIsTooLargeLearnsHowToRaiseTheLimits() {
        Failure failure =
                Failures.of(
                        new RecordTooLargeException(
                                "The batch has 9 bytes, max.message.bytes is 8."),
                        "here:9092");
        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure)
                .hasMessageContaining("sluice topic alter TOPIC --set max.message.bytes=N")
                .hasMessageContaining("-X max.request.size=N");
    }

    /// Somebody accepts the connection and never answers, as a stopped broker does.
    @Test
    void sendingToASilentBrokerIsATimeout() throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var result =
                    Cli.withoutBroker()
                            .run(
                                    "send",
                                    "orders",
                                    "x",
                                    "--timeout",
                                    "1s",
                                    "-b",
                                    "127.0.0.1:" + silent.getLocalPort());
            assertThat(result.err()).contains("did not answer in time");
            assertThat(result.exitCode()).isEqualTo(4);
        }
    }
}
