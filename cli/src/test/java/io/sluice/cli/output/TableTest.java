package io.sluice.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Tables line up, whatever is in them.
class TableTest {
    private static final List<Column> COLUMNS =
            List.of(
                    Column.of("name", "NAME"),
                    Column.of("count", "COUNT"),
                    Column.of("note", "NOTE"));

    @Test
    void columnsAreAsWideAsTheirWidestCellAndNumbersGoRight() {
        assertThat(
                        print(
                                row("orders", Value.count(3), "x"),
                                row("a", Value.count(1_234_567), "longer"),
                                row("payments", Value.absent(), "")))
                .isEqualTo(
                        """
                        NAME          COUNT  NOTE
                        orders            3  x
                        a         1,234,567  longer
                        payments          -
                        """);
    }

    @Test
    void wideCharactersTakeTwoColumns() {
        String[] lines =
                print(
                                row("주문", Value.count(1), "a"),
                                row("orders", Value.count(2), "b"),
                                row("결제완료", Value.count(3), "c"))
                        .split("\n");
        for (String line : lines) {
            String upToNote = line.substring(0, line.length() - (line.endsWith("NOTE") ? 4 : 1));
            assertThat(DisplayWidth.of(upToNote)).as(line).isEqualTo(8 + 2 + 5 + 2);
        }
    }

    @Test
    void widthCountsColumnsOfTheTerminal() {
        assertThat(DisplayWidth.of("abc")).isEqualTo(3);
        assertThat(DisplayWidth.of("한글")).isEqualTo(4);
        assertThat(DisplayWidth.of("漢字かな")).isEqualTo(8);
        assertThat(DisplayWidth.of("ｆｕｌｌ")).isEqualTo(8);
        assertThat(DisplayWidth.of("é")).isEqualTo(1);
        assertThat(DisplayWidth.of("e\u0301")).as("combining accent").isEqualTo(1);
        assertThat(DisplayWidth.of("\u1112\u1161\u11ab")).as("decomposed syllable").isEqualTo(2);
        assertThat(DisplayWidth.of("😀")).isEqualTo(2);
        assertThat(DisplayWidth.of("a\u200bb")).as("zero-width space").isEqualTo(2);
        assertThat(DisplayWidth.of("…–")).isEqualTo(2);
    }

    @Test
    void controlCharactersAreMadeHarmless() {
        String printed = print(row("\u001b[31mred\u0007\n\ttab", Value.count(1), "x"));
        assertThat(printed).contains("\\u001b[31mred\\u0007\\n\\ttab").doesNotContain("\u001b");
    }

    @Test
    void coloursDoNotDisturbTheAlignment() {
        List<Fields> rows =
                List.of(
                        Fields.of("name", Value.state("Stable", Value.Mood.GOOD))
                                .with("count", Value.count(1))
                                .with("note", Value.text("a")),
                        Fields.of("name", Value.state("Dead", Value.Mood.BAD))
                                .with("count", Value.count(22))
                                .with("note", Value.text("b")));
        var buffer = new ByteArrayOutputStream();
        var out = new PrintStream(buffer, true, StandardCharsets.UTF_8);
        new Table(COLUMNS, new HumanText(ZoneId.of("UTC")), Colors.ON).print(rows, out);
        String coloured = buffer.toString(StandardCharsets.UTF_8);
        assertThat(coloured).contains("\u001b[32mStable", "\u001b[31mDead");
        assertThat(coloured.replaceAll("\u001b\\[\\d+m", ""))
                .isEqualTo("NAME    COUNT  NOTE\nStable      1  a\nDead       22  b\n");
    }

    @Test
    void sizesAndTimesAreForPeople() {
        assertThat(HumanText.size(0)).isEqualTo("0 B");
        assertThat(HumanText.size(1_023)).isEqualTo("1023 B");
        assertThat(HumanText.size(1_536)).isEqualTo("1.5 KiB");
        assertThat(HumanText.size(5L << 30)).isEqualTo("5.0 GiB");
        assertThat(HumanText.size(Long.MAX_VALUE)).isEqualTo("8.0 EiB");
        assertThat(HumanText.span(Duration.ZERO)).isEqualTo("0 ms");
        assertThat(HumanText.span(Duration.ofNanos(250_000))).isEqualTo("0.25 ms");
        assertThat(HumanText.span(Duration.ofMillis(350))).isEqualTo("350 ms");
        assertThat(HumanText.span(Duration.ofMillis(12_345))).isEqualTo("12.3 s");
        assertThat(HumanText.span(Duration.ofSeconds(201))).isEqualTo("3 min 21 s");
        assertThat(HumanText.span(Duration.ofMinutes(125))).isEqualTo("2 h 5 min");
        assertThat(HumanText.span(Duration.ofHours(76))).isEqualTo("3 d 4 h");
        assertThat(HumanText.span(Duration.ofDays(-3))).isEqualTo("-3 d");
        assertThat(
                        new HumanText(ZoneId.of("Asia/Seoul"))
                                .time(Instant.parse("2026-11-15T08:30:00.120Z")))
                .isEqualTo("2026-11-15T17:30:00.120+09:00");
    }

    private static Fields row(String name, Value count, String note) {
        return Fields.of("name", Value.text(name))
                .with("count", count)
                .with("note", Value.text(note));
    }

    private static String print(Fields... rows) {
        var buffer = new ByteArrayOutputStream();
        var out = new PrintStream(buffer, true, StandardCharsets.UTF_8);
        new Printer(out, Format.table, ZoneId.of("UTC"), Colors.OFF)
                .print(Listing.of(COLUMNS, List.of(rows)));
        return buffer.toString(StandardCharsets.UTF_8);
    }
}
