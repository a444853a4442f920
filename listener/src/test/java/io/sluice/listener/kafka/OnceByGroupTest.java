package io.sluice.listener.kafka;

import static io.sluice.listener.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.Listener;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.once.JdbcOnceStore;
import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// One table of what has been done, and records of topics: nothing counts as done because something else was.
@ExtendWith(SluiceExtension.class)
@Timeout(180)
class OnceByGroupTest {
    private final JdbcDataSource database = new JdbcDataSource();
    private final ConcurrentLinkedQueue<String> effects = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void aTable() throws Exception {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        new JdbcOnceStore(database, "sluice_done").createTable();
    }

    /// Works on everything that is in the topic now.
    private void work(Topics topic, String group, int records) throws Exception {
        Map<String, Object> client = new HashMap<>(topic.client());
        client.put("group.id", group);
        var store = new JdbcOnceStore(database, "sluice_done");
        LaneSettings lane =
                LaneSettings.lane(
                        "all",
                        new FixedLimit(2),
                        store.work(
                                (job, connection) ->
                                        effects.add(group + " " + job.message().text())));
        try (Listener listener =
                Listener.of(new KafkaSource(KafkaSettings.of(client, topic.name)))
                        .lane(lane)
                        .start()) {
            until("all", () -> listener.lanes().getFirst().done() == records);
        }
    }

    @Test
    void eachGroupHasItsEffects(Sluice sluice) throws Exception {
        try (Topics topic = new Topics(sluice, 1)) {
            topic.send(List.of("k:a", "k:b"));
            work(topic, "billing", 2);
            work(topic, "labelling", 2);
            topic.rewind("labelling");
            work(topic, "labelling", 2);
        }
        assertThat(effects)
                .containsExactlyInAnyOrder("billing a", "billing b", "labelling a", "labelling b");
    }

    @Test
    void recordsOfATopicThatWasMadeAnewAreOthers(Sluice sluice) throws Exception {
        try (Topics topic = new Topics(sluice, 1)) {
            topic.send(List.of("k:a"));
            work(topic, "billing", 1);
            topic.deleteAndMakeAnew();
            topic.send(List.of("k:b"));
            topic.rewind("billing");
            work(topic, "billing", 1);
        }
        assertThat(effects).containsExactly("billing a", "billing b");
    }
}
