package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.child.ChildProgram;
import io.sluice.conformance.child.ClientLibraries;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A Kafka Streams application at least once: it makes its own topics, keeps state in a changelog and truncates what it has repartitioned.
@Tag("streams")
@ExtendWith(BrokerExtension.class)
class StreamsIT {
    private final ClientLibraries libraries = new ClientLibraries("streams");
    private final Clients clients;

    StreamsIT(Broker broker) {
        clients = new Clients(broker);
    }

    @Test
    @DisplayName(
            "Q32: a word count counts, and counts on after it was killed and has lost its state")
    void aWordCountCountsOnAfterItWasKilled(@TempDir Path folder) {
        String input = clients.createTopic("lines", 2);
        String output = clients.createTopic("counts", 2);
        String application = Clients.unique("word-count");
        send(input, 0, 50);
        try (ChildProgram.Running first =
                program(application, input, output, folder.resolve("first")).start()) {
            awaitCounts(output, first, 50);
            first.kill();
        }

        // Another folder: the counts so far can come only from the changelog.
        send(input, 50, 30);
        try (ChildProgram.Running second =
                program(application, input, output, folder.resolve("second")).start()) {
            awaitCounts(output, second, 80);
        }
        try (Admin admin = clients.admin()) {
            assertThat(Clients.result(admin.listTopics().names()))
                    .anyMatch(name -> name.startsWith(application) && name.endsWith("-changelog"))
                    .anyMatch(
                            name -> name.startsWith(application) && name.endsWith("-repartition"));
        }
    }

    private ChildProgram program(String application, String input, String output, Path state) {
        return ChildProgram.java(
                libraries.classPath(),
                libraries.project().resolve("WordCount.java").toString(),
                clients.broker().bootstrap(),
                application,
                input,
                output,
                state.toString());
    }

    private void send(String topic, int from, int count) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer,
                    count,
                    i ->
                            new ProducerRecord<>(
                                    topic, "line" + (from + i), "Water flows through the sluice"));
        }
    }

    /// At least once: after a kill a line may have been counted again, so a word has at least as many as there are lines.
    private void awaitCounts(String topic, ChildProgram.Running program, int lines) {
        Map<String, Long> counts = new HashMap<>();
        List<String> words = List.of("water", "flows", "through", "the", "sluice");
        try (Consumer<String, String> consumer = clients.consumer(Map.of())) {
            consumer.assign(List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1)));
            Eventually.holds(
                    () -> counts + ", the program said\n" + program.output(),
                    Duration.ofMinutes(10),
                    () -> {
                        for (ConsumerRecord<String, String> record :
                                consumer.poll(Duration.ofMillis(200))) {
                            counts.put(record.key(), Long.valueOf(record.value()));
                        }
                        return words.stream()
                                .allMatch(word -> counts.getOrDefault(word, 0L) >= lines);
                    });
        }
    }
}
