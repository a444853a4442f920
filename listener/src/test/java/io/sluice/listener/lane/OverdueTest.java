package io.sluice.listener.lane;

import static io.sluice.listener.Eventually.until;
import static io.sluice.listener.lane.Script.message;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.listener.limit.FixedLimit;
import io.sluice.listener.message.Message;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// A source looks several times a second for jobs that take too long, and one that ignores its interrupt does so for hours.
class OverdueTest {
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @Test
    void aJobThatTakesTooLongIsLoggedOnce() throws Exception {
        // Other tests may be about to begin with it.
        until("logging is there", () -> LoggerFactory.getLogger(JobRun.class) instanceof Logger);
        var logger = (Logger) LoggerFactory.getLogger(JobRun.class);
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
        logger.setLevel(Level.WARN);
        try {
            var threads = new Script.ByHand();
            var script =
                    new Script(LaneSettings.lane("all", new FixedLimit(1), job -> {}).on(threads));
            Message endless = message("logged once");
            script.poll(endless);
            threads.jobs.clear(); // it is at work, for ever
            for (int look = 0; look < 10; look++) {
                script.lanes.overdue(endless, "its job takes longer than PT1H");
            }
        } finally {
            logger.setLevel(null);
            logger.setAdditive(true);
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .filteredOn(line -> line.getFormattedMessage().contains("logged once"))
                .hasSize(1);
    }
}
