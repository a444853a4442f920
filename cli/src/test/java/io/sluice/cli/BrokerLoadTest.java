package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// The benchmarks and the demo, on the broker under test.
@ExtendWith(BrokerUnderTest.class)
@Timeout(120)
class BrokerLoadTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String topic = "cli-bench-" + UUID.randomUUID();

    @Test
    void whatIsProducedIsConsumed(BrokerAddress broker) {
        JsonNode produced =
                json(
                        broker,
                        "bench",
                        "produce",
                        "-t",
                        topic,
                        "-n",
                        "5000",
                        "-s",
                        "200",
                        "--producers",
                        "2");
        assertThat(produced.get("messages").asLong()).isEqualTo(5_000);
        assertThat(produced.get("sizeBytes").asLong()).isEqualTo(1_000_000);
        assertThat(produced.get("p99Millis").asDouble())
                .isGreaterThanOrEqualTo(produced.get("p50Millis").asDouble());
        JsonNode consumed = json(broker, "bench", "consume", "-t", topic);
        assertThat(consumed.get("messages").asLong()).isEqualTo(5_000);
        assertThat(consumed.get("sizeBytes").asLong()).isEqualTo(1_000_000);
    }

    @Test
    void latencyIsMeasuredForEveryMessageThatWasDue(BrokerAddress broker) {
        JsonNode result =
                json(
                        broker,
                        "bench",
                        "latency",
                        "-t",
                        topic,
                        "-r",
                        "200",
                        "-d",
                        "1s",
                        "--warm-up",
                        "200ms",
                        "--profile",
                        "latency");
        assertThat(result.get("messages").asLong()).isEqualTo(200);
        assertThat(result.get("lostMessages").asLong()).isZero();
        assertThat(result.get("p50Millis").asDouble()).isPositive();
    }

    @Test
    void emptyTopicIsNotABenchmark(BrokerAddress broker) {
        Cli.at(broker).run("topic", "create", topic);
        assertThat(Cli.at(broker).run("bench", "consume", "-t", topic).exitCode()).isEqualTo(3);
    }

    @Test
    void demoLeavesTrafficToLookAt(BrokerAddress broker) {
        var result = Cli.at(broker).run("demo", "-d", "3s");
        assertThat(result.exitCode()).as(result.err()).isEqualTo(0);
        assertThat(result.out()).contains("demo.orders", "demo.payments", "demo.clicks");
        assertThat(result.err()).contains("sluice tail -f demo.orders");
        assertThat(Cli.at(broker).run("tail", "demo.orders", "--last", "1").exitCode())
                .isEqualTo(0);
        assertThat(Cli.at(broker).run("group", "list", "-o", "name").out())
                .as("its groups are gone with it")
                .doesNotContain("demo-");
        assertThat(Cli.at(broker).run("demo", "-d", "300ms", "--clean-up").exitCode()).isEqualTo(0);
        assertThat(Cli.at(broker).run("topic", "list", "demo.*").exitCode()).isEqualTo(3);
    }

    private static JsonNode json(BrokerAddress broker, String... args) {
        String[] withFormat = Arrays.copyOf(args, args.length + 2);
        withFormat[args.length] = "-o";
        withFormat[args.length + 1] = "json";
        var result = Cli.at(broker).run(withFormat);
        assertThat(result.exitCode()).as(result.err()).isEqualTo(0);
        return JSON.readTree(result.out());
    }
}
