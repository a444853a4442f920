package io.sluice.listener.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Attempts as text, and back.
class KeptAttemptsTest {
    @Test
    void attemptsAreKeptAsDistancesFromTheCommit() {
        var attempts = new TreeMap<>(Map.of(1_000L, 3, 1_017L, 2));
        String text = KeptAttempts.text(1_000, attempts);
        assertThat(text).isEqualTo("sluice-attempts 0=3 17=2");
        assertThat(KeptAttempts.read(1_000, text)).isEqualTo(attempts);
        assertThat(KeptAttempts.text(1_000, new TreeMap<>())).isEmpty();
    }

    @Test
    void whatOthersHaveWrittenSaysNothing() {
        for (String foreign :
                new String[] {
                    null, "", "host-1 0=3", "sluice-attempts", "sluice-attempts x=y -1=2"
                }) {
            assertThat(KeptAttempts.read(5, foreign)).isEmpty();
        }
    }

    @Test
    void theFirstOnesAreKeptWhenThereAreTooMany() {
        var attempts = new TreeMap<Long, Integer>();
        for (long offset = 0; offset < 10_000; offset++) {
            attempts.put(offset, 2);
        }
        String text = KeptAttempts.text(0, attempts);
        assertThat(text.length()).isBetween(1_900, 2_000);
        assertThat(KeptAttempts.read(0, text))
                .hasSizeGreaterThan(250)
                .isEqualTo(attempts.headMap((long) KeptAttempts.read(0, text).size()));
    }
}
