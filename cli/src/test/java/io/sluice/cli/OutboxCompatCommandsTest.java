package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import io.sluice.fixtures.Postgres;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// `sluice outbox members` and `lanes` where instances share parts, and nobody has lanes.
@ExtendWith({BrokerUnderTest.class, DatabaseUnderTest.class})
@Timeout(120)
class OutboxCompatCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "O5: compat mode's instances and parts are shown, whether the scripts were run or not")
    void instancesAndPartsAreShown(boolean installed, BrokerAddress broker, Postgres database)
            throws Exception {
        Cli cli = cli(broker, database);
        if (installed) {
            assertThat(cli.run("outbox", "mode", "compat", "--yes").exitCode()).isZero();
        } else {
            documentsTable(database);
        }
        assertThat(json(cli, "members")).isEmpty();
        assertThat(cli.run("outbox", "members").err())
                .contains("No relay of compat mode runs. 'sluice relay --mode compat' starts one.");
        assertThat(json(cli, "lanes")).isEmpty();

        try (CompatRelay zero = relay(broker, database, 0, 2)) {
            await(() -> zero.emptyPolls() > 0);
            JsonNode alone = json(cli, "members").get(0);
            assertThat(alone.get("instance").asInt()).isZero();
            assertThat(alone.get("total").asInt()).isEqualTo(2);
            assertThat(alone.get("state").asString()).isEqualTo("working");
            try (CompatRelay one = relay(broker, database, 1, 2);
                    CompatRelay standby = relay(broker, database, 1, 2)) {
                await(() -> one.trouble() != null ^ standby.trouble() != null);
                await(() -> partsCovered(cli).equals(List.of("0 by 0", "1 by 1")));
                JsonNode members = json(cli, "members");
                assertThat(members.findValuesAsString("instance")).containsExactly("0", "1", "1");
                assertThat(members.findValuesAsString("state"))
                        .containsExactlyInAnyOrder("working", "working", "waiting");
                assertThat(members.get(0).get("parts").get(0).asInt()).isZero();
                assertThat(members.get(0).get("partCount").asInt()).isEqualTo(1);
                assertThat(json(cli, "lanes", "--behind")).isEmpty();
                var shown = cli.run("outbox", "members");
                assertThat(shown.out()).contains("INSTANCE", "TOTAL", "PARTS", "waiting");
                assertThat(shown.err()).isEmpty();
                var parts = cli.run("outbox", "lanes");
                assertThat(parts.out()).contains("PART", "INSTANCE", "covered");
                assertThat(parts.err()).contains("Compat mode has parts in the place of lanes");
            }
        }
    }

    @Test
    void partsThatNobodyHasAreShown(BrokerAddress broker, Postgres database) throws Exception {
        documentsTable(database);
        Cli cli = cli(broker, database);
        try (var session = database.open();
                var locks = session.createStatement()) { // As of instance 1 of 3.
            for (int lock : List.of((1 << 29) + 1, (1 << 30) + 3, 1)) {
                locks.execute(
                        "SELECT pg_advisory_lock('transfer_events'::regclass::oid::int, %d)"
                                .formatted(lock));
            }
            assertThat(json(cli, "lanes").findValuesAsString("state"))
                    .containsExactly("uncovered", "covered", "uncovered");
            assertThat(json(cli, "lanes", "--behind").findValuesAsString("part"))
                    .containsExactly("0", "2");
        }
    }

    /// On the way between the modes relays of both run.
    @Test
    @DisplayName("O5: relays of the mode that waits are named beside those of the other")
    void relaysOfTheOtherModeAreNamed(BrokerAddress broker, Postgres database) throws Exception {
        Cli cli = cli(broker, database);
        try (CompatRelay zero = relay(broker, database, 0, 1)) {
            await(() -> zero.emptyPolls() > 0);
            var inLogMode = cli.run("outbox", "members");
            assertThat(inLogMode.err())
                    .contains("Instances of compat mode that run, too")
                    .contains(": [0].")
                    .doesNotContain("No relay runs");
            assertThat(json(cli, "members")).isEmpty();
            assertThat(json(cli, "lanes")).hasSize(64);
            assertThat(cli.run("outbox", "mode", "compat", "--yes").exitCode()).isZero();
            OutboxCommandsTest.fill(database);
            var inCompatMode = cli.run("outbox", "members");
            assertThat(inCompatMode.err())
                    .contains("Relays of log and wal mode that do nothing in compat mode: 1.");
            assertThat(json(cli, "members").findValuesAsString("instance")).containsExactly("0");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("O5: the state says that instances disagree, whether the scripts were run or not")
    void instancesThatDisagreeAreTheState(
            boolean installed, BrokerAddress broker, Postgres database) throws Exception {
        Cli cli = cli(broker, database);
        if (installed) {
            assertThat(cli.run("outbox", "mode", "compat", "--yes").exitCode()).isZero();
        } else {
            documentsTable(database);
        }
        try (CompatRelay two = relay(broker, database, 0, 2)) {
            await(() -> two.emptyPolls() > 0);
            assertThat(json(cli, "status").get("state").asString()).isEqualTo("up to date");
            try (CompatRelay three = relay(broker, database, 1, 3)) {
                await(() -> three.trouble() != null);
                JsonNode status = json(cli, "status");
                assertThat(status.get("state").asString()).startsWith("relays disagree");
                assertThat(status.get("totals").asInt()).isEqualTo(2);
            }
        }
    }

    private static List<String> partsCovered(Cli cli) {
        return json(cli, "lanes")
                .valueStream()
                .filter(part -> part.get("state").asString().equals("covered"))
                .map(part -> part.get("part").asInt() + " by " + part.get("instance").asInt())
                .toList();
    }

    static void documentsTable(Postgres database) {
        database.run(
                """
                DROP TABLE transfer_events, outbox_lane, outbox_member, outbox_parked, outbox_source;
                CREATE TABLE transfer_events (event_id bigserial PRIMARY KEY, aggregate_id varchar(64) NOT NULL,
                  payload jsonb NOT NULL, headers jsonb, status varchar(20) NOT NULL DEFAULT 'PENDING',
                  next_retry_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now())
                """);
    }

    private static CompatRelay relay(BrokerAddress broker, Postgres database, int id, int total) {
        return CompatRelay.start(
                database::open,
                OutboxTable.TRANSFER_EVENTS,
                "any",
                Map.of("bootstrap.servers", broker.servers()),
                CompatSettings.of(
                        Map.of(
                                CompatSettings.INSTANCE_ID,
                                Integer.toString(id),
                                CompatSettings.TOTAL_INSTANCES,
                                Integer.toString(total)),
                        Map.of(CompatSettings.PREFIX + "fixedDelayMs", "50")));
    }

    private static Cli cli(BrokerAddress broker, Postgres database) {
        return Cli.at(broker).with("SPRING_DATASOURCE_URL", database.url());
    }

    private static JsonNode json(Cli cli, String... words) {
        List<String> all = new ArrayList<>(List.of("outbox"));
        all.addAll(List.of(words));
        all.addAll(List.of("-o", "json"));
        var result = cli.run(all.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.err()).isZero();
        return JSON.readTree(result.out());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
