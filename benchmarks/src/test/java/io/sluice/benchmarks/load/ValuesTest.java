package io.sluice.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class ValuesTest {
    private static final int BYTES = 1024;
    private static final int MANY = 250; // As many as the largest batch of a preset has.

    @Test
    void eventsAreDifferentAndOfOneSize() {
        Values values = Values.events(BYTES);
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < MANY; i++) {
            byte[] value = values.next();
            assertThat(value).hasSize(BYTES);
            seen.add(new String(value, UTF_8));
        }
        assertThat(seen).hasSize(MANY).allMatch(event -> event.endsWith("\"}"));
    }

    /// Had a batch one event many times, a benchmark of clients that compress would send nearly nothing.
    @Test
    void aBatchOfThemBecomesSmallerButNotTiny() {
        Values values = Values.events(BYTES);
        Deflater deflater = new Deflater();
        for (int i = 0; i < MANY; i++) {
            deflater.setInput(values.next());
            deflater.deflate(new byte[2 * BYTES], 0, 2 * BYTES, Deflater.SYNC_FLUSH);
        }
        double left = (double) deflater.getBytesWritten() / deflater.getBytesRead();
        deflater.end();
        assertThat(left).isBetween(0.2, 0.6);
    }
}
