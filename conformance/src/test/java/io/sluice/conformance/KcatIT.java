package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.child.ChildProgram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// kcat, and through it librdkafka: the client below those for C, C++, Python, Go, .NET, PHP, Ruby and Rust.
@Tag("kcat")
@ExtendWith(BrokerExtension.class)
class KcatIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final Clients clients;

    KcatIT(Broker broker) {
        clients = new Clients(broker);
    }

    @BeforeAll
    static void requireKcat() {
        assumeTrue(
                ChildProgram.isInstalled("kcat"),
                "kcat is not installed (Debian: apt-get install kcat)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    @DisplayName("Q38: librdkafka produces and consumes with every compression")
    void producesAndConsumes(String compression) {
        String topic = clients.createTopic("kcat", 1);
        String text = lines(500);

        kcat("-P", "-t", topic, "-K", ":", "-z", compression)
                .withInput(text)
                .run(LIMIT)
                .requireSuccess();

        assertThat(clients.readAll(topic, 1, 500))
                .extracting(ConsumerRecord::value)
                .containsExactlyElementsOf(IntStream.range(0, 500).mapToObj(i -> "v" + i).toList());
        ChildProgram.Result read =
                kcat("-C", "-q", "-e", "-t", topic, "-o", "beginning", "-K", ":").run(LIMIT);
        assertThat(read.requireSuccess().output()).isEqualTo(text);
    }

    @Test
    @DisplayName("Q32: librdkafka's idempotent producer")
    void producesIdempotently() {
        String topic = clients.createTopic("kcat-idempotent", 2);

        kcat("-P", "-t", topic, "-K", ":", "-X", "enable.idempotence=true", "-X", "acks=all")
                .withInput(lines(1000))
                .run(LIMIT)
                .requireSuccess();

        assertThat(clients.readAll(topic, 2, 1000)).hasSize(1000);
    }

    @Test
    @DisplayName("Q17: librdkafka joins a group, and goes on where it has committed")
    void joinsAGroup() {
        String topic = clients.createTopic("kcat-group", 3);
        String group = Clients.unique("group");
        kcat("-P", "-t", topic, "-K", ":").withInput(lines(300)).run(LIMIT).requireSuccess();

        ChildProgram.Result first = consumeInGroup(group, topic, "300").run(LIMIT);

        assertThat(first.requireSuccess().lines()).hasSize(300);
        kcat("-P", "-t", topic, "-K", ":").withInput(lines(5)).run(LIMIT).requireSuccess();
        ChildProgram.Result second = consumeInGroup(group, topic, "5").run(LIMIT);
        assertThat(second.requireSuccess().lines()).hasSize(5);
    }

    @Test
    void showsMetadataAndFindsOffsetsByTime() {
        String topic = clients.createTopic("kcat-meta", 2);
        kcat("-P", "-t", topic, "-p", "1", "-K", ":")
                .withInput(lines(10))
                .run(LIMIT)
                .requireSuccess();

        assertThat(kcat("-L", "-t", topic).run(LIMIT).requireSuccess().output())
                .contains("topic \"" + topic + "\" with 2 partitions");
        assertThat(kcat("-Q", "-t", topic + ":1:0").run(LIMIT).requireSuccess().output())
                .contains("[1] offset 0");
        assertThat(kcat("-Q", "-t", topic + ":1:-1").run(LIMIT).requireSuccess().output())
                .contains("[1] offset 10");
    }

    private ChildProgram consumeInGroup(String group, String topic, String count) {
        return kcat("-q", "-c", count, "-X", "auto.offset.reset=earliest", "-G", group, topic);
    }

    private ChildProgram kcat(String... arguments) {
        List<String> command = new ArrayList<>(List.of("kcat", "-b", clients.broker().bootstrap()));
        command.addAll(List.of(arguments));
        return ChildProgram.of(command);
    }

    private static String lines(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "k" + i + ":v" + i + "\n")
                .collect(Collectors.joining());
    }
}
