package io.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.log.inspect.LogInspector;
import io.sluice.log.inspect.LogInspector.Finding;
import io.sluice.log.inspect.LogInspector.SegmentView;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LogInspectorTest {
    private final LogFixture log = new LogFixture(TopicSettings.defaults().withSegments(1000, 150));

    @Test
    void soundLogHasNoFindings() {
        RecoveryTest.fill(log, 0, 40);
        log.flush();
        List<String> seen = new ArrayList<>();
        List<Finding> findings =
                inspector()
                        .inspect(
                                new LogInspector.Visitor() {
                                    @Override
                                    public void segment(SegmentView segment) {
                                        seen.add("segment " + segment.baseOffset());
                                    }

                                    @Override
                                    public void batch(
                                            SegmentView segment, long position, RecordBatch batch) {
                                        seen.add("batch " + batch.baseOffset());
                                    }
                                });
        assertThat(findings).isEmpty();
        assertThat(seen).startsWith("segment 0", "batch 0", "batch 1").endsWith("batch 39");
        assertThat(seen).hasSize(40 + log.log.segments().size());
    }

    @Test
    void lookingChangesNothing() {
        RecoveryTest.fill(log, 0, 40);
        List<String> before = log.disk.paths();
        int steps = log.disk.forces;
        inspector().inspect(new LogInspector.Visitor() {});
        assertThat(log.disk.paths()).isEqualTo(before);
        assertThat(log.disk.forces).isEqualTo(steps);
    }

    @Test
    void damageIsNamedWithFileAndPosition() {
        RecoveryTest.fill(log, 0, 40);
        log.flush();
        int size = LogFixture.batch("value-1").remaining();
        log.disk.flipBit(log.logFile(0), 3 * size + 30);
        assertThat(inspector().inspect(new LogInspector.Visitor() {}))
                .singleElement()
                .satisfies(
                        finding -> {
                            assertThat(finding.file()).isEqualTo(log.logFile(0));
                            assertThat(finding.position()).isEqualTo(3L * size);
                            assertThat(finding.harmless()).isFalse();
                        });
    }

    @Test
    void tornTailIsHarmless() {
        RecoveryTest.fill(log, 0, 3);
        byte[] content = log.disk.content(log.logFile(0));
        log.disk.replaceContent(
                log.logFile(0), java.util.Arrays.copyOf(content, content.length - 5));
        assertThat(inspector().inspect(new LogInspector.Visitor() {}))
                .singleElement()
                .matches(Finding::harmless);
    }

    @Test
    void missingSegmentAndWrongIndexAreFound() {
        RecoveryTest.fill(log, 0, 40);
        log.flush();
        log.disk.delete(log.logFile(log.log.segments().get(1).baseOffset()));
        log.disk.flipBit(log.indexFile(0), 70);
        assertThat(inspector().inspect(new LogInspector.Visitor() {}))
                .extracting(Finding::harmless)
                .containsExactly(true, false);
    }

    private LogInspector inspector() {
        return new LogInspector(log.disk, LogFixture.FOLDER, true);
    }
}
