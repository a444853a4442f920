package io.sluice.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTableTest {
    private static final Figure CPU =
            Figure.of("small", "requests: broker", Unit.CPU_SECONDS_PER_MILLION)
                    .withTarget(new Target.RatioAtMost(1.0 / 3));
    private static final Figure RATE =
            Figure.of("small", "requests", Unit.REQUESTS_PER_SECOND)
                    .withTarget(new Target.RatioAtLeast(1));
    private static final Figure IDLE =
            Figure.of("idle", "idle: CPU", Unit.PERCENT_OF_A_CORE)
                    .withTarget(new Target.ValueAtMost(1, Unit.PERCENT_OF_A_CORE));
    private static final Figure WORKS =
            Figure.of("partitions", "10,000 in one call", Unit.WORKS)
                    .withTarget(new Target.Works());

    private final Readings readings = new Readings();

    @Test
    void theRatioIsTakenRoundByRound() {
        add(CPU, "kafka", 30, 60, 30);
        add(CPU, "sluice", 10, 15, 12);

        Spread ratio = readings.ratio(CPU, "sluice", "kafka");

        assertThat(ratio).isEqualTo(Spread.of(10 / 30.0, 15 / 60.0, 12 / 30.0));
    }

    @Test
    void aRoundThatOneBrokerMissedIsLeftOutOfTheRatio() {
        add(CPU, "kafka", 30, 60);
        readings.add(CPU, "sluice", 2, new Outcome.Value(15));

        assertThat(readings.ratio(CPU, "sluice", "kafka")).isEqualTo(Spread.of(0.25));
    }

    @Test
    void targetsAreJudgedByTheMedian() {
        add(CPU, "kafka", 30, 30, 30);
        add(CPU, "sluice", 9, 8, 20);
        add(RATE, "kafka", 1000, 1000, 1000);
        add(RATE, "sluice", 999, 990, 2000);

        assertThat(table().markdown())
                .contains(
                        "| requests: broker, CPU s/M req | 30.0 | 9.00 [8.00–20.0] |"
                                + " 0.30 [0.27–0.67] | ≤ 1/3 | yes |")
                .contains(
                        "| requests, req/s | 1,000 | 999 [990–2,000] | 1.00 [0.99–2.00] |"
                                + " ≥ 1.00 | **no** |");
        assertThat(table().verdict()).isEqualTo("1 of 2 targets met.");
    }

    @Test
    void anAbsoluteTargetNeedsSluiceAlone() {
        add(IDLE, "sluice", 0.4, 0.9, 2);

        assertThat(table().markdown())
                .contains("| idle: CPU, % of a core | – | 0.90 [0.40–2.00] | – |")
                .contains("Sluice ≤ 1.00 % of a core | yes |");
    }

    @Test
    void aRefusalIsShownWithItsReason() {
        readings.add(WORKS, "kafka", 1, new Outcome.Refused("too many"));
        add(WORKS, "sluice", 1);

        assertThat(table().markdown())
                .contains("| 10,000 in one call | refused | yes | – | works | yes |");
        assertThat(table().footnotes())
                .containsExactly("kafka refused “10,000 in one call”: too many");
    }

    @Test
    void aRefusalBySluiceMissesTheTarget() {
        readings.add(WORKS, "sluice", 1, new Outcome.Refused("too many"));

        assertThat(table().markdown()).contains("| – | refused | – | works | **no** |");
    }

    @Test
    void oneBrokerAloneJudgesNothing() {
        add(CPU, "kafka", 30);

        assertThat(table().markdown()).contains("| 30.0 | – | – | ≤ 1/3 |  |");
        assertThat(table().verdict()).startsWith("No target was judged");
    }

    @Test
    void linesKeepTheExpectedOrderAndFailuresAreListed() {
        readings.expect(List.of(RATE, IDLE, CPU));
        add(CPU, "kafka", 30);
        add(RATE, "kafka", 30);
        readings.addFailure("round 1, idle: it was not");

        assertThat(readings.figures()).containsExactly(RATE, CPU);
        assertThat(table().footnotes()).containsExactly("Broke off: round 1, idle: it was not");
    }

    @Test
    void columnsLineUpInATerminal() {
        add(CPU, "kafka", 30);
        add(RATE, "kafka", 35_800);

        List<String> lines = table().plain().lines().toList();

        int column = lines.get(2).indexOf("30.0") + "30.0".length();
        assertThat(lines.get(0).substring(0, column)).endsWith("Kafka");
        assertThat(lines.get(3).substring(0, column)).endsWith("35,800");
    }

    @Test
    void everyReadingCanBeExported() {
        add(CPU, "kafka", 30.5);
        readings.add(WORKS, "kafka", 1, new Outcome.Refused("says \"no\""));

        assertThat(readings.commaSeparated().lines())
                .containsExactly(
                        "measure,figure,unit,broker,round,value",
                        "small,\"requests: broker\",\"CPU s/M req\",kafka,1,30.5",
                        "partitions,\"10,000 in one call\",\"\",kafka,1,\"refused: says"
                                + " \"\"no\"\"\"");
    }

    private ComparisonTable table() {
        return ComparisonTable.of(readings, "kafka", "sluice");
    }

    private void add(Figure figure, String broker, double... values) {
        for (int round = 0; round < values.length; round++) {
            readings.add(figure, broker, round + 1, new Outcome.Value(values[round]));
        }
    }
}
