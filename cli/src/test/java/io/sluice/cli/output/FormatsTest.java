package io.sluice.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// What is written is read back by somebody else's parser.
class FormatsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Fields EVERYTHING =
            Fields.of("text", Value.text("plain"))
                    .with("korean", Value.text("메시지 \"따옴표\"\n줄"))
                    .with("count", Value.count(1_234_567))
                    .with("negative", Value.count(-3))
                    .with("decimal", Value.decimal(12.3456, 2))
                    .with("infinite", Value.decimal(Double.POSITIVE_INFINITY, 2))
                    .with("sizeBytes", Value.bytes(1_536))
                    .with("time", Value.time(Instant.parse("2026-11-15T08:30:00.123Z")))
                    .with("lagSeconds", Value.span(Duration.ofMillis(12_345)))
                    .with("flag", Value.flag(true))
                    .with("state", Value.state("Stable", Value.Mood.GOOD))
                    .with("absent", Value.absent())
                    .with("numbers", Value.counts(List.of(1, 2, 3)))
                    .with("none", Value.items(List.of()))
                    .with("nothing", Fields.none())
                    .with("nested", Fields.of("a b", Value.text("yes")).with("c", Value.text("")))
                    .with(
                            "objects",
                            Value.items(
                                    List.of(
                                            Fields.of("x", Value.count(1))
                                                    .with("y", Value.text("- z")),
                                            Fields.none(),
                                            Value.items(List.of(Value.text("deep"))))));

    @Test
    void jsonIsReadBackByJackson() {
        for (String text : List.of(JsonText.compact(EVERYTHING), JsonText.pretty(EVERYTHING, 0))) {
            JsonNode read = JSON.readTree(text);
            assertThat(read.get("korean").asString()).isEqualTo("메시지 \"따옴표\"\n줄");
            assertThat(read.get("count").asLong()).isEqualTo(1_234_567);
            assertThat(read.get("decimal").asDouble()).isEqualTo(12.35);
            assertThat(read.get("infinite").isNull()).isTrue();
            assertThat(read.get("sizeBytes").asLong()).isEqualTo(1_536);
            assertThat(read.get("time").asString()).isEqualTo("2026-11-15T08:30:00.123Z");
            assertThat(read.get("lagSeconds").asDouble()).isEqualTo(12.345);
            assertThat(read.get("flag").asBoolean()).isTrue();
            assertThat(read.get("state").asString()).isEqualTo("Stable");
            assertThat(read.get("absent").isNull()).isTrue();
            assertThat(read.get("numbers").size()).isEqualTo(3);
            assertThat(read.get("none").isArray()).isTrue();
            assertThat(read.get("nothing").isObject()).isTrue();
            assertThat(read.get("nested").get("a b").asString()).isEqualTo("yes");
            assertThat(read.get("objects").get(0).get("y").asString()).isEqualTo("- z");
        }
        assertThat(JsonText.compact(EVERYTHING)).doesNotContain("\n");
    }

    /// The two parsers have to see the same thing.
    @Test
    void yamlSaysTheSameAsJson() {
        Object fromYaml = load(YamlText.document(EVERYTHING));
        Object fromJson = JSON.convertValue(JSON.readTree(JsonText.compact(EVERYTHING)), Map.class);
        assertThat(fromYaml).isEqualTo(fromJson);
        Object rows = load(YamlText.document(Value.items(List.of(EVERYTHING, EVERYTHING))));
        assertThat(rows).isEqualTo(List.of(fromJson, fromJson));
    }

    @Test
    void anyTextSurvivesJsonAndYaml() {
        var random = new SplittableRandom(7);
        String alphabet =
                "ab01 :#-?{}[],&*!|>'\"%@`\\/~=\t\n\r\u0000\u001b\u0085\u00a0\u2028\ufeff한😀.+_";
        for (int i = 0; i < 3_000; i++) {
            var text = new StringBuilder();
            int length = random.nextInt(8);
            for (int j = 0; j < length; j++) {
                int at = random.nextInt(alphabet.codePointCount(0, alphabet.length()));
                text.appendCodePoint(alphabet.codePointAt(alphabet.offsetByCodePoints(0, at)));
            }
            var value = Fields.of("k" + text, Value.text(text.toString()));
            assertThat(JSON.readTree(JsonText.compact(value)).get("k" + text).asString())
                    .isEqualTo(text.toString());
            assertThat(load(YamlText.document(value)))
                    .as(YamlText.document(value))
                    .isEqualTo(Map.of("k" + text, text.toString()));
        }
    }

    @Test
    void wordsThatYamlWouldTakeForSomethingElseAreQuoted() {
        for (String word :
                List.of("true", "No", "null", "on", "~", "1e3", "0x10", "2026-11-15", "-", "")) {
            assertThat(load(YamlText.document(Fields.of("v", Value.text(word)))))
                    .isEqualTo(Map.of("v", word));
        }
    }

    @ParameterizedTest
    @EnumSource(Format.class)
    void emptyStreamIsWellFormed(Format format) {
        String printed = print(printer -> printer.stream(shape()).close(), format);
        switch (format) {
            case json -> assertThat(JSON.readTree(printed).isEmpty()).isTrue();
            case yaml -> assertThat(load(printed)).isEqualTo(List.of());
            case table, jsonl, name -> assertThat(printed).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Format.class)
    void streamPrintsWhatAListingPrints(Format format) {
        List<Fields> rows = List.of(row("orders", 3), row("payments", 12));
        String listing =
                print(
                        printer -> printer.print(new Listing("name", shape().columns(), rows)),
                        format);
        String stream =
                print(
                        printer -> {
                            try (RowStream open = printer.stream(shape())) {
                                rows.forEach(open::row);
                            }
                        },
                        format);
        assertThat(stream).isEqualTo(listing);
    }

    @Test
    void namesAreAloneOnTheirLines() {
        List<Fields> rows = List.of(row("orders", 3), row("payments", 12));
        assertThat(
                        print(
                                printer ->
                                        printer.print(new Listing("name", shape().columns(), rows)),
                                Format.name))
                .isEqualTo("orders\npayments\n");
        assertThat(
                        print(
                                printer ->
                                        printer.print(
                                                new Listing(
                                                        "count",
                                                        shape().columns(),
                                                        List.of(row("a", 1_234)))),
                                Format.name))
                .as("no grouping for programs")
                .isEqualTo("1234\n");
    }

    private static Listing shape() {
        return Listing.of(
                List.of(Column.of("name", "NAME", 8), Column.of("count", "COUNT")), List.of());
    }

    private static Fields row(String name, long count) {
        return Fields.of("name", Value.text(name)).with("count", Value.count(count));
    }

    private static Object load(String yaml) {
        return new Load(LoadSettings.builder().build()).loadFromString(yaml);
    }

    private static String print(Consumer<Printer> work, Format format) {
        var buffer = new ByteArrayOutputStream();
        var out = new PrintStream(buffer, true, StandardCharsets.UTF_8);
        work.accept(new Printer(out, format, ZoneId.of("UTC"), Colors.OFF));
        out.flush();
        return buffer.toString(StandardCharsets.UTF_8);
    }
}
