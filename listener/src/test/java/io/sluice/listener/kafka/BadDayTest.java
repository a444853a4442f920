package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Listener;
import io.sluice.listener.failure.UnprocessableException;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.Order;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.testing.Sluice;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Brokers that go away and come back, and a topic for dead letters that is gone.
@Timeout(180)
class BadDayTest {
    private final ConcurrentLinkedQueue<String> begun = new ConcurrentLinkedQueue<>();

    @TempDir Path data;

    private Listener listen(Topics topic) {
        return Listener.of(new KafkaSource(topic.settings()))
                .lane(
                        LaneSettings.lane(
                                        "all",
                                        new FixedLimit(2),
                                        job -> {
                                            begun.add(job.message().text());
                                            if (job.message().text().equals("bad")) {
                                                throw new UnprocessableException("not a PDF");
                                            }
                                        })
                                .inOrder(Order.KEY))
                .start();
    }

    @Test
    void aBrokerThatDoesNotAnswerIsTroubleInASentence() throws Exception {
        Sluice sluice = Sluice.on(data, Map.of());
        String servers = sluice.bootstrap();
        try (var topic = new Topics(sluice, 1)) {
            topic.send(List.of("k:before"));
            try (Listener listener = listen(topic)) {
                until("before", () -> begun.contains("before"));
                assertThat(listener.trouble()).isNull();

                sluice.close();
                until("trouble", () -> listener.trouble() != null);
                assertThat(listener.trouble())
                        .startsWith("Nothing can be received from [" + topic.name + "]")
                        .contains("no broker of " + servers + " has answered for");

                sluice = Sluice.on(data, Map.of("kafka.listen", servers));
                topic.send(List.of("k:after"));
                until("after", () -> begun.contains("after"));
                until("no trouble any more", () -> listener.trouble() == null);
            }
        } finally {
            sluice.close();
        }
    }

    @Test
    void aTopicThatIsDeletedIsTroubleInASentence() throws Exception {
        try (Sluice sluice = Sluice.on(data, Map.of());
                var topic = new Topics(sluice, 1)) {
            topic.send(List.of("k:before"));
            try (Listener listener = listen(topic)) {
                until("before", () -> begun.contains("before"));
                topic.delete();
                until("trouble", () -> listener.trouble() != null);
                assertThat(listener.trouble())
                        .startsWith("Nothing can be received from [" + topic.name + "]")
                        .contains("there is no topic " + topic.name + " any more");

                topic.makeAnew();
                until("no trouble any more", () -> listener.trouble() == null);
            }
        }
    }

    @Test
    void whoIsBehindADeadLetterOfItsKeyWaitsUntilItsTopicIsThereAgain() throws Exception {
        try (Sluice sluice = Sluice.on(data, Map.of("topics.auto-create", "false"));
                var topic = new Topics(sluice, 1);
                Listener listener = listen(topic)) {
            topic.deleteDeadLetters();
            topic.send(List.of("k:bad", "k:next"));
            until(
                    "the lane says why it takes no more",
                    () ->
                            listener.lanes()
                                    .getFirst()
                                    .sentence()
                                    .contains("1 by dead letters that are not yet stored"));
            assertThat(begun).containsExactly("bad");

            topic.createDeadLetters();
            until("committed", () -> topic.committed() == 2);
            assertThat(begun).last().isEqualTo("next");
            assertThat(listener.lanes().getFirst().deadLettered()).isEqualTo(1);
            assertThat(topic.read(topic.name + "-dead-letters", 1)).hasSize(1);
        }
    }
}
