package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.BrokerUnderTest.Bootstrap;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A consumer process is killed (SIGKILL) in the middle of a batch; its successor shows what the delivery promised.
@ExtendWith(BrokerUnderTest.class)
@Timeout(120)
class KillTest {
    private static final int COUNT = 20;
    private static final int FINISHED = 5;
    private static final String LAST = "last";

    @ParameterizedTest(
            name =
                    "Q6, Q7, Q32: at-least-once, {0}, killed in the middle of a batch: all come again")
    @EnumSource(Profile.class)
    void atLeastOnceDeliversTheBatchAgain(Profile profile, Bootstrap broker) throws Exception {
        Preset preset = new Preset(Delivery.AT_LEAST_ONCE, profile);
        String topic = Topics.create(broker, 1);
        List<String> sent = Topics.fill(broker, topic, COUNT);
        List<String> before = workUntilKilled(broker, topic, preset);
        List<String> after = successor(broker, topic, preset);

        assertThat(before).isEqualTo(sent.subList(0, FINISHED + 1));
        assertThat(after).as("in order and from the batch's start").isEqualTo(sent);
    }

    @ParameterizedTest(
            name =
                    "Q6, Q7, Q31: at-most-once, {0}, killed in the middle of a batch: none comes twice")
    @EnumSource(Profile.class)
    void atMostOnceDeliversNoneTwice(Profile profile, Bootstrap broker) throws Exception {
        Preset preset = new Preset(Delivery.AT_MOST_ONCE, profile);
        String topic = Topics.create(broker, 1);
        List<String> sent = Topics.fill(broker, topic, COUNT);
        List<String> before = workUntilKilled(broker, topic, preset);
        List<String> after = successor(broker, topic, preset);

        assertThat(before).isEqualTo(sent.subList(0, FINISHED + 1));
        List<String> both = new ArrayList<>(before);
        both.addAll(after);
        assertThat(both).as("once at most, and in order").isSubsetOf(sent).doesNotHaveDuplicates();
        assertThat(after).isEqualTo(sent.stream().filter(after::contains).toList());
    }

    /// Runs a consumer process and kills it once it hangs in the record after the last finished one.
    private static List<String> workUntilKilled(Bootstrap broker, String topic, Preset preset)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path")
                                        .replace("\n", File.pathSeparator),
                                KilledConsumer.class.getName(),
                                broker.servers(),
                                topic,
                                group(topic),
                                preset.delivery().label(),
                                preset.profile().label(),
                                Integer.toString(FINISHED))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        List<String> begun = new ArrayList<>();
        try (var lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null && begun.size() <= FINISHED) {
                if (line.startsWith(KilledConsumer.BEGUN)) {
                    begun.add(line.substring(KilledConsumer.BEGUN.length()));
                }
                if (begun.size() <= FINISHED) {
                    line = lines.readLine();
                }
            }
        } finally {
            process.destroyForcibly();
            process.waitFor();
        }
        return begun;
    }

    /// Works on what is left for the group, up to a last record that is sent now.
    private static List<String> successor(Bootstrap broker, String topic, Preset preset) {
        Topics.send(broker, topic, List.of(LAST));
        Consumer<String, String> consumer =
                preset.openConsumer(
                        KilledConsumer.settings(broker.servers(), group(topic)),
                        new StringDeserializer(),
                        new StringDeserializer());
        List<String> seen = new ArrayList<>();
        var loop = new AtomicReference<ConsumeLoop<String, String>>();
        loop.set(
                new ConsumeLoop<>(
                        consumer,
                        preset.delivery(),
                        OnFailure.stop(),
                        record -> {
                            if (record.value().equals(LAST)) {
                                loop.get().stop();
                            } else {
                                seen.add(record.value());
                            }
                        }));
        loop.get().run(List.of(topic));
        return seen;
    }

    private static String group(String topic) {
        return "workers-of-" + topic;
    }
}
