package io.sluice.outbox.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// What the table says about the readings; the readings themselves are those of `sluice bench outbox`.
/// Shows O7: the document's measurement, as a table.
class ReportTest {
    @Test
    @DisplayName("O7: the document's measurement, as a ratio to the better of its two designs")
    void theBetterOfTheDocumentsDesignsIsTheMeasure() {
        Readings readings = new Readings();
        for (double millis : new double[] {18_000, 20_000, 22_000}) {
            readings.add(Figure.DRAIN_MILLIS, Contender.DOCUMENT, millis);
            readings.add(Figure.DRAIN_MILLIS, Contender.DOCUMENT_MOD, millis - 4_000);
        }
        readings.add(Figure.DRAIN_MILLIS, Contender.LOG, 900);
        readings.add(Figure.DRAIN_MILLIS, Contender.LOG, 700);
        assertThat(text(readings))
                .contains("| 800 ms, 20 × (document: 16000 ms) | met |")
                .contains("kill, ours: gone");
    }

    @Test
    void whatIsNotReachedIsSaid() {
        Readings readings = new Readings();
        readings.add(Figure.EVENTS_PER_SECOND, Contender.LOG, 30_000);
        readings.add(Figure.EVENTS_PER_SECOND, Contender.WAL, 19_999);
        assertThat(text(readings))
                .contains("| 30,000 (Debezium not measured) | met |")
                .contains("| 19,999 (Debezium not measured) | **missed** |");
        readings.add(Figure.EVENTS_PER_SECOND, Contender.DEBEZIUM_1, 40_000);
        assertThat(text(readings)).contains("| 30,000 (Debezium 40,000) | **missed** |");
    }

    /// The target names the document's batches, which are smaller than our pages.
    @Test
    void statementsAreJudgedWithTheDocumentsBatches() {
        Readings readings = new Readings();
        readings.add(Figure.STATEMENTS, Contender.LOG, 10);
        readings.add(Figure.EMPTY_POLLS, Contender.LOG, 0);
        readings.add(Figure.STATEMENTS, Contender.LOG_1000, 36);
        readings.add(Figure.EMPTY_POLLS, Contender.LOG_1000, 0);
        assertThat(text(readings))
                .contains("| 10 / 0 | met |")
                .contains("pages of 1,000 | ≤ 20 / 0 | 36 / 0 | **missed** |");
    }

    /// The target is that there is none; a median would forgive one round in three.
    @Test
    void emptyPollsAreJudgedByTheWorstRound() {
        Readings readings = new Readings();
        for (double empty : new double[] {0, 3, 0}) {
            readings.add(Figure.STATEMENTS, Contender.LOG, 10);
            readings.add(Figure.EMPTY_POLLS, Contender.LOG, empty);
        }
        assertThat(text(readings)).contains("| 10 / 3 | **missed** |");
    }

    /// Nobody shall read a missing figure as a zero, or as a success.
    @Test
    void whatWasNotMeasuredIsNeitherMetNorMissed() {
        assertThat(new Targets(new Readings()).rows())
                .hasSize(14)
                .allMatch(row -> row.verdict() == Targets.Verdict.NOT_MEASURED);
        assertThat(text(new Readings())).doesNotContain("NaN");
    }

    private static String text(Readings readings) {
        return new Report(readings, List.of("kill, ours: gone"), true, null).text();
    }
}
