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
        String text = new Report(readings, List.of("kill, ours: gone"), true, null).text();
        assertThat(text)
                .contains("| 800 ms, 20 × (document: 16000 ms) |")
                .contains("kill, ours: gone");
    }
}
