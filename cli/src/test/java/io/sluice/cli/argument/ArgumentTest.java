package io.sluice.cli.argument;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ArgumentTest {
    private static final Instant NOW = Instant.parse("2026-11-15T08:30:00Z");
    private static final ZoneId SEOUL = ZoneId.of("Asia/Seoul");

    @ParameterizedTest
    @CsvSource({
        "250ms, PT0.25S",
        "10s, PT10S",
        "5m, PT5M",
        "5min, PT5M",
        "1h30m, PT1H30M",
        "2d, PT48H",
        "0s, PT0S",
        "1H, PT1H"
    })
    void durationsAreReadWithTheirUnits(String typed, Duration meant) {
        assertThat(new DurationArgument().convert(typed)).isEqualTo(meant);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "ten", "-5s", "5 s x", "s", "99999999999999999999s"})
    void otherDurationsAreRefused(String typed) {
        assertThatThrownBy(() -> new DurationArgument().convert(typed))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + typed + "'");
    }

    @ParameterizedTest
    @CsvSource({"100, 100", "100B, 100", "1k, 1024", "1KiB, 1024", "1 kb, 1024", "4MB, 4194304"})
    void sizesAreReadWithOrWithoutUnits(String typed, int bytes) {
        assertThat(new SizeArgument().convert(typed)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "big", "-1", "3000MiB", "1.5k", "99999999999"})
    void otherSizesAreRefused(String typed) {
        assertThatThrownBy(() -> new SizeArgument().convert(typed))
                .isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "10m, 2026-11-15T08:20:00Z",
        "1d, 2026-11-14T08:30:00Z",
        "2026-11-15, 2026-11-14T15:00:00Z",
        "2026-11-15T17:00, 2026-11-15T08:00:00Z",
        "2026-11-15T17:00:30, 2026-11-15T08:00:30Z",
        "2026-11-15 17:00, 2026-11-15T08:00:00Z",
        "2026-11-15T08:00:00Z, 2026-11-15T08:00:00Z",
        "2026-11-15T08:00:00+01:00, 2026-11-15T07:00:00Z",
        "2026-11-15T08:00:00-05:00, 2026-11-15T13:00:00Z",
        "@1763193600000, 2025-11-15T08:00:00Z"
    })
    void timesAreReadHereAndNow(String typed, Instant meant) {
        assertThat(new TimeArgument(typed).resolve(NOW, SEOUL)).isEqualTo(meant);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "yesterday-ish",
                "2026-13-01",
                "10",
                "10x",
                "999999999999d",
                "2026-11-15T99:00",
                "soon"
            })
    void otherTimesAreRefusedWithTheForms(String typed) {
        assertThatThrownBy(() -> new TimeArgument.Converter().convert(typed))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageStartingWith("'" + typed + "' is no time. Write how long ago (10m, ");
    }

    /// Whoever copies one of them from the message gets what it says.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10m",
                "2h",
                "1d",
                "2026-11-15",
                "2026-11-15T08:30",
                "2026-11-15T08:30:00Z",
                "@1794700800000"
            })
    void theFormsOfTheMessageAreUnderstood(String form) {
        assertThat(TimeArgument.FORMS).contains(form);
        assertThat(new TimeArgument(form).resolve(NOW, SEOUL)).isBeforeOrEqualTo(NOW);
    }
}
