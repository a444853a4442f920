package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import io.sluice.fixtures.Postgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// `sluice relay` and `sluice outbox` with a real database and a real broker.
@ExtendWith({BrokerUnderTest.class, DatabaseUnderTest.class})
@Timeout(120)
class OutboxCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    @DisplayName("O1, O5: a relay with the document's variables publishes what is in the table")
    void aRelayPublishes(BrokerAddress broker, Postgres database) {
        String topic = "transfers-1";
        Cli cli = cli(broker, database).with("RELAY_TOPIC", topic);
        cli.run("topic", "create", topic, "-p", "2");
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) VALUES ('a', '1'), ('b', '2')");
        assertThat(json(cli, "outbox", "status").get("waiting").asInt()).isEqualTo(2);
        assertThat(cli.run("outbox", "status").out()).contains("no relay runs");

        var run =
                cli.with("RELAY_INSTANCE_ID", "1")
                        .with("RELAY_TOTAL_INSTANCES", "3")
                        .run("relay", "--for", "3s", "--retention", "1h", "-o", "json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(JSON.readTree(run.out()).get("published").asInt()).isEqualTo(2);
        assertThat(json(cli, "outbox", "status").get("waiting").asInt()).isZero();
        assertThat(cli.run("tail", topic, "-o", "jsonl").out())
                .contains("\"key\":\"a\"", "\"key\":\"b\"");

        assertThat(
                        json(cli, "outbox", "replay", "-t", topic, "--key", "a", "--yes")
                                .get("published")
                                .asInt())
                .isEqualTo(1);
        assertThat(json(cli, "outbox", "lanes")).hasSize(64);
    }

    @Test
    void aRelayIsWatchedOverHttp(BrokerAddress broker, Postgres database) throws Exception {
        Cli cli = cli(broker, database);
        cli.run("topic", "create", "watched");
        database.run("INSERT INTO transfer_events (aggregate_id, payload) VALUES ('a', '1')");
        String address;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = "127.0.0.1:" + socket.getLocalPort();
        }
        Thread relay =
                Thread.ofPlatform()
                        .start(() -> cli.run("relay", "-t", "watched", "--health", address));
        Pattern published =
                Pattern.compile(
                        "outbox_events_total\\{relay=\"[^\"]+\",table=\"transfer_events\",topic=\"watched\"} 1.0");
        String metrics = "";
        while (!published.matcher(metrics).find()) {
            Thread.sleep(50);
            metrics = get("http://" + address + "/metrics");
        }
        assertThat(metrics)
                .contains("# TYPE outbox_latency_seconds histogram", "outbox_statements_total{");
        assertThat(get("http://" + address + "/health")).isEqualTo("UP\n");
        relay.interrupt();
        relay.join();
    }

    private static String get(String address) throws InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(address)).build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return ""; // It does not answer yet.
        }
    }

    @Test
    void relaysThatDisagreeAreShown(BrokerAddress broker, Postgres database) {
        Cli cli = cli(broker, database);
        String member =
                "INSERT INTO outbox_member (outbox, name, joined_at, until, topic, guarantee) VALUES ('transfer_events', '%s', now(), now() + interval '1 hour', %s, %s)";
        database.run(member.formatted("older", "NULL", "NULL"));
        database.run(member.formatted("a", "'transfers'", "'at-least-once'"));
        var agreed = cli.run("outbox", "members");
        assertThat(agreed.out()).contains("TOPIC", "GUARANTEE", "transfers", "at-least-once");
        assertThat(agreed.err()).doesNotContain("disagree");
        assertThat(json(cli, "outbox", "status").get("destinations").asInt()).isEqualTo(1);

        database.run(member.formatted("b", "'transfers'", "'exactly-once'"));
        database.run("UPDATE outbox_lane SET owner = (SELECT max(number) FROM outbox_member)");
        assertThat(cli.run("outbox", "members").err()).contains("The relays disagree");
        JsonNode members = json(cli, "outbox", "members");
        assertThat(members.get(0).get("topic").isNull()).isTrue();
        assertThat(members.get(2).get("guarantee").asString()).isEqualTo("exactly-once");
        assertThat(cli.run("outbox", "status").out()).contains("relays disagree");
    }

    @Test
    @DisplayName("O5: the mode is shown, and changed with --yes")
    void theModeIsChanged(BrokerAddress broker, Postgres database) {
        Cli cli = cli(broker, database);
        assertThat(json(cli, "outbox", "mode").get("mode").asString()).isEqualTo("log");
        assertThat(cli.run("outbox", "mode", "wal").err()).contains("--yes");
        assertThat(json(cli, "outbox", "mode").get("mode").asString()).isEqualTo("log");
        String why = "max_slot_wal_keep_size is not set";
        assertThat(cli.run("outbox", "mode", "wal").err()).contains(why);
        var changed = cli.run("outbox", "mode", "wal", "--yes", "-o", "json");
        assertThat(changed.err()).contains(why);
        assertThat(JSON.readTree(changed.out()).get("mode").asString()).isEqualTo("wal");
        assertThat(json(cli, "outbox", "mode").get("fallback").asString()).contains(why);
        assertThat(cli.run("outbox", "mode").out()).contains("snapshots of the table");
        assertThat(json(cli, "outbox", "mode", "log", "--yes").get("mode").asString())
                .isEqualTo("log");
        database.run("UPDATE outbox_source SET mode = 'compat'"); // All that a killed one has done.
        assertThat(cli.run("outbox", "mode").out()).contains("broken off");
        assertThat(json(cli, "outbox", "mode", "compat", "--yes").get("mode").asString())
                .isEqualTo("compat");
        assertThat(cli.run("outbox", "status").out()).contains("no relay runs");
        assertThat(cli.run("outbox", "mode").out()).contains("statuses in the table");
    }

    @Test
    @DisplayName("O5: of the document's own table the mode is shown; a change needs the scripts")
    void theDocumentsTableIsInCompatMode(BrokerAddress broker, Postgres database) {
        OutboxCompatCommandsTest.documentsTable(database);
        Cli cli = cli(broker, database);
        assertThat(json(cli, "outbox", "mode").get("mode").asString()).isEqualTo("compat");
        assertThat(json(cli, "outbox", "mode", "compat", "--yes").get("mode").asString())
                .isEqualTo("compat");
        for (String mode : List.of("log", "wal")) {
            for (String[] words :
                    List.of(
                            new String[] {"outbox", "mode", mode},
                            new String[] {"outbox", "mode", mode, "--yes"})) {
                var refused = cli.run(words);
                assertThat(refused.exitCode()).isEqualTo(1);
                assertThat(refused.err())
                        .contains("run the scripts", "docs/outbox.md", "step 3")
                        .doesNotContain("outbox_source");
            }
        }
    }

    @Test
    void theStateDoesNotContradictTheNumbers(BrokerAddress broker, Postgres database) {
        Cli cli = cli(broker, database);
        database.run(
                "INSERT INTO outbox_member (outbox, name, joined_at, until) VALUES ('transfer_events', 'a', now(), now() + interval '1 h')");
        database.run("UPDATE outbox_lane SET owner = (SELECT max(number) FROM outbox_member)");
        assertThat(state(cli)).isEqualTo("up to date");
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload, created_at) VALUES ('a', '1', now() + interval '1 h')");
        assertThat(state(cli)).isEqualTo("publishing");
        database.run("UPDATE transfer_events SET created_at = now() - interval '8 s'");
        assertThat(state(cli)).isEqualTo("behind");
    }

    private static String state(Cli cli) {
        return json(cli, "outbox", "status").get("state").asString();
    }

    @Test
    @DisplayName("O2, O5: without log mode the relay claims and marks as the document's does")
    void aCompatRelayMarks(BrokerAddress broker, Postgres database, @TempDir Path folder)
            throws IOException {
        database.run(
                "DROP TABLE transfer_events, outbox_lane, outbox_member, outbox_parked, outbox_source");
        database.run(
                """
                CREATE TABLE transfer_events (event_id bigserial PRIMARY KEY, aggregate_id varchar(64) NOT NULL,
                  payload jsonb NOT NULL, headers jsonb, status varchar(20) NOT NULL DEFAULT 'PENDING',
                  next_retry_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now());
                INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i, '{}' FROM generate_series(1, 10) i
                """);
        Path settings =
                Files.writeString(
                        folder.resolve("relay.properties"), "app.outbox.relay.fixedDelayMs=50\n");
        Cli cli = cli(broker, database);
        cli.run("topic", "create", "transfers-2");
        assertThat(json(cli, "outbox", "status").get("pendingOfCompat").asInt()).isEqualTo(10);
        assertThat(cli.run("outbox", "status").out()).contains("no relay runs");
        var run =
                cli.run(
                        "relay",
                        "-t",
                        "transfers-2",
                        "--for",
                        "2s",
                        "--settings",
                        settings.toString(),
                        "-o",
                        "json");
        assertThat(JSON.readTree(run.out()).get("published").asInt()).as(run.err()).isEqualTo(10);
        assertThat(json(cli, "outbox", "status").get("pendingOfCompat").asInt()).isZero();
    }

    @Test
    @DisplayName(
            "O5: what compat mode has refused is listed and given up; its table alone cannot be replayed")
    void compatModesFailuresAreShown(BrokerAddress broker, Postgres database) {
        database.run(
                """
                DROP TABLE transfer_events, outbox_lane, outbox_member, outbox_parked, outbox_source;
                CREATE TABLE transfer_events (event_id bigserial PRIMARY KEY, aggregate_id varchar(64) NOT NULL,
                  payload jsonb NOT NULL, headers jsonb, status varchar(20) NOT NULL DEFAULT 'PENDING',
                  next_retry_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now());
                INSERT INTO transfer_events (aggregate_id, payload, next_retry_at) VALUES ('bad', '{}', now() + interval '1 min')
                """);
        Cli cli = cli(broker, database);
        JsonNode failed = json(cli, "outbox", "parked").get(0);
        assertThat(failed.get("key").asString()).isEqualTo("bad");
        assertThat(failed.get("lane").isNull()).isTrue();
        assertThat(cli.run("outbox", "parked", "--skip", "--key", "bad", "--yes").err())
                .contains("Event 1 of 'bad' was skipped.");
        assertThat(json(cli, "outbox", "parked")).isEmpty();
        var replay = cli.run("outbox", "replay", "-t", "t", "--key", "bad");
        assertThat(replay.exitCode()).isEqualTo(1);
        assertThat(replay.err()).contains("no column ord", "status = 'PENDING'");
    }

    @ParameterizedTest
    @CsvSource({
        "1,    , 'RELAY_INSTANCE_ID=1: it must be from 0 to 0, since RELAY_TOTAL_INSTANCES is 1.'",
        "3,    3, 'RELAY_INSTANCE_ID=3: it must be from 0 to 2, since RELAY_TOTAL_INSTANCES is 3.'",
        "blue, 3, RELAY_INSTANCE_ID=blue: it must be a whole number.",
    })
    @DisplayName(
            "O5: in log mode the id is only a name; in compat mode a wrong one is a usage error that names variable and bound")
    void theIdIsANameInLogModeOnly(
            String id,
            @Nullable String total,
            String refusal,
            BrokerAddress broker,
            Postgres database)
            throws Exception {
        Cli numbered = cli(broker, database).with("RELAY_INSTANCE_ID", id);
        Cli cli = total == null ? numbered : numbered.with("RELAY_TOTAL_INSTANCES", total);
        cli.run("topic", "create", "numbered");
        AtomicReference<String> ended = new AtomicReference<>("");
        Thread relay =
                Thread.ofPlatform()
                        .start(() -> ended.set(cli.run("relay", "-t", "numbered").err()));
        while (!json(cli, "outbox", "members").findValuesAsString("name").contains("relay-" + id)) {
            assertThat(relay.isAlive()).as("it was refused: %s", ended).isTrue();
        }
        relay.interrupt();
        relay.join();

        refused(cli, refusal, "--mode", "compat");
        database.run("UPDATE outbox_source SET mode = 'compat'");
        refused(cli, refusal); // The database says it.
    }

    private static void refused(Cli cli, String why, String... options) {
        var run = cli.run(with(new String[] {"relay", "-t", "numbered", "--for", "1s"}, options));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(why);
    }

    @Test
    void parkedEventsAreShownAndGivenUp(BrokerAddress broker, Postgres database) {
        fill(database);
        Cli cli = cli(broker, database);
        assertThat(json(cli, "outbox", "parked").get(0).get("error").asString())
                .isEqualTo("too large");
        assertThat(cli.run("outbox", "parked", "--skip", "--yes").exitCode()).isEqualTo(2);
        assertThat(cli.run("outbox", "parked", "--skip", "--key", "nobody", "--yes").exitCode())
                .isEqualTo(3);
        assertThat(cli.run("outbox", "parked", "--skip", "--key", "bad").err())
                .contains("Nothing was changed");
        assertThat(json(cli, "outbox", "parked")).hasSize(1);
        cli.run("topic", "create", "dead");
        assertThat(
                        cli.run(
                                        "outbox",
                                        "parked",
                                        "--dead-letter",
                                        "dead",
                                        "--key",
                                        "bad",
                                        "--yes")
                                .err())
                .contains("Event 9 of 'bad' was sent to dead.");
        assertThat(json(cli, "outbox", "parked")).isEmpty();
        assertThat(cli.run("tail", "dead", "-o", "jsonl").out())
                .contains("outbox-dead-letter-reason");
    }

    @Test
    void parkedEventsAreTriedAgainNow(BrokerAddress broker, Postgres database) {
        fill(database);
        database.run("DELETE FROM outbox_member");
        database.run("UPDATE outbox_parked SET next_retry_at = now() + interval '1 h'");
        Cli cli = cli(broker, database);
        cli.run("topic", "create", "again");
        assertThat(cli.run("outbox", "parked", "--retry").err()).contains("Nothing was changed");
        assertThat(publish(cli, "again")).as("it is not yet time").isZero();
        assertThat(cli.run("outbox", "parked", "--retry", "--yes").err())
                .contains("1 refused events are tried again now.");
        assertThat(publish(cli, "again")).isEqualTo(1);
        assertThat(cli.run("outbox", "parked").err()).contains("Nothing is parked.");
        assertThat(cli.run("tail", "again", "-o", "jsonl").out()).contains("\"key\":\"bad\"");
    }

    @Test
    void aSkippedEventIsNeverPublished(BrokerAddress broker, Postgres database) {
        fill(database);
        database.run("DELETE FROM outbox_member");
        Cli cli = cli(broker, database);
        cli.run("topic", "create", "skipped");
        var skipped = cli.run("outbox", "parked", "--skip", "--key", "bad", "--yes");
        assertThat(skipped.exitCode()).as(skipped.err()).isZero();
        assertThat(skipped.err()).contains("Event 9 of 'bad' was skipped.");
        assertThat(json(cli, "outbox", "parked")).isEmpty();
        assertThat(publish(cli, "skipped")).isZero();
    }

    @Test
    void whatWasWrittenSinceSomeTimeIsReplayed(BrokerAddress broker, Postgres database) {
        Cli cli = cli(broker, database);
        cli.run("topic", "create", "replayed");
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload, created_at) VALUES ('old', '1', now() - interval '2 h'), ('new', '2', now() - interval '1 min')");
        assertThat(publish(cli, "replayed")).isEqualTo(2);
        String[] replay = {
            "outbox", "replay", "-t", "replayed", "--since", "10m", "--name", "test"
        };
        assertThat(cli.run(replay).err()).contains("Nothing was published");
        assertThat(json(cli, with(replay, "--yes")).get("published").asInt()).isEqualTo(1);
        assertThat(json(cli, with(replay, "--until", "5m", "--yes")).get("selected").asInt())
                .isZero();
        assertThat(cli.run("tail", "replayed", "-o", "jsonl").out().lines())
                .hasSize(3)
                .filteredOn(line -> line.contains("outbox-replay"))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("\"key\":\"new\""));
    }

    @Test
    @DisplayName("O5: of a range exactly its events are replayed, both ends included")
    void aRangeIsReplayed(BrokerAddress broker, Postgres database) {
        Cli cli = cli(broker, database);
        cli.run("topic", "create", "ranged");
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i, '1' FROM generate_series(1, 5) i");
        int published = 0;
        while (published < 5) {
            published += publish(cli, "ranged"); // A slow machine may need more than one run.
        }
        List<String> places = database.column("SELECT ord FROM transfer_events ORDER BY ord");
        String[] replay = {"outbox", "replay", "-t", "ranged", "--yes", "--range"};
        String range = places.get(1) + "-" + places.get(3);
        assertThat(json(cli, with(replay, range)).get("published").asInt()).isEqualTo(3);
        assertThat(replayedKeys(cli, "ranged"))
                .containsExactlyInAnyOrderElementsOf(
                        database.column(
                                "SELECT aggregate_id FROM transfer_events WHERE ord BETWEEN %s AND %s"
                                        .formatted(places.get(1), places.get(3))));
        assertThat(json(cli, with(replay, places.getLast())).get("published").asInt()).isEqualTo(1);
        String behind = Long.toString(Long.parseLong(places.getLast()) + 1);
        assertThat(json(cli, with(replay, behind)).get("published").asInt()).isZero();
    }

    @Test
    void aRangeThatEndsBeforeItBeginsIsRefusedInItsOwnWords(
            BrokerAddress broker, Postgres database) {
        var run = cli(broker, database).run("outbox", "replay", "-t", "t", "--range", "5-1");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("'5-1' is no range: 5 is above 1.");
    }

    @Test
    void aLanesSequenceIsShownAsInTheHeader(BrokerAddress broker, Postgres database) {
        database.run("UPDATE outbox_lane SET sequence = 1234567 WHERE lane = 3");
        assertThat(cli(broker, database).run("outbox", "lanes").out()).contains(" 1234567 ");
    }

    private static List<String> replayedKeys(Cli cli, String topic) {
        return cli.run("tail", topic, "-o", "jsonl")
                .out()
                .lines()
                .filter(line -> line.contains("outbox-replay"))
                .map(line -> JSON.readTree(line).get("key").asString())
                .toList();
    }

    /// @return how many events
    private static int publish(Cli cli, String topic) {
        return json(cli, "relay", "-t", topic, "--for", "3s").get("published").asInt();
    }

    private static String[] with(String[] words, String... more) {
        return Stream.concat(Stream.of(words), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void aDatabaseWithoutOutboxIsNamed(BrokerAddress broker, Postgres database) {
        var run = cli(broker, database).run("outbox", "status", "--table", "other");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("no table other");
    }

    private static Cli cli(BrokerAddress broker, Postgres database) {
        return Cli.at(broker).with("SPRING_DATASOURCE_URL", database.url());
    }

    private static JsonNode json(Cli cli, String... words) {
        List<String> args = new java.util.ArrayList<>(List.of(words));
        args.addAll(List.of("-o", "json"));
        var result = cli.run(args.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.err()).isZero();
        return JSON.readTree(result.out());
    }

    /// Something to show for every command.
    static void fill(Postgres database) {
        database.run(
                "INSERT INTO outbox_member (outbox, name, joined_at, until) VALUES ('transfer_events', 'somebody', now(), now() + interval '1 h')");
        database.run(
                "INSERT INTO outbox_parked (outbox, lane, aggregate_id, ord, event_id, payload, state, attempts, last_error) VALUES ('transfer_events', outbox_lane_of('bad'), 'bad', 1, '9', 'x', 'FAILED', 1, 'too large')");
    }
}
