package io.sluice.settings;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/// Sizes and time spans as people write them.
public final class Quantities {
    private static final Map<String, Long> SIZE_UNITS =
            Map.of(
                    "", 1L, "B", 1L, "KIB", 1L << 10, "MIB", 1L << 20, "GIB", 1L << 30, "TIB",
                    1L << 40);
    private static final Map<String, Duration> TIME_UNITS =
            Map.of(
                    "ms", Duration.ofMillis(1),
                    "s", Duration.ofSeconds(1),
                    "m", Duration.ofMinutes(1),
                    "h", Duration.ofHours(1),
                    "d", Duration.ofDays(1));

    private Quantities() {}

    public static long parseSize(String text) {
        int unitAt = unitAt(text);
        Long unit = SIZE_UNITS.get(text.substring(unitAt).trim().toUpperCase(Locale.ROOT));
        if (unit == null) {
            throw new IllegalArgumentException("unknown size unit in " + text);
        }
        return Math.multiplyExact(Long.parseLong(text.substring(0, unitAt).trim()), unit);
    }

    public static Duration parseDuration(String text) {
        int unitAt = unitAt(text);
        Duration unit = TIME_UNITS.get(text.substring(unitAt).trim());
        if (unit == null) {
            throw new IllegalArgumentException("unknown time unit in " + text);
        }
        return unit.multipliedBy(Long.parseLong(text.substring(0, unitAt).trim()));
    }

    public static String formatSize(long bytes) {
        for (String unit : new String[] {"TiB", "GiB", "MiB", "KiB"}) {
            long factor = parseSize("1" + unit);
            if (bytes >= factor && bytes % factor == 0) {
                return bytes / factor + unit;
            }
        }
        return bytes + "B";
    }

    public static String formatDuration(Duration duration) {
        long millis = duration.toMillis();
        for (String unit : new String[] {"d", "h", "m", "s"}) {
            long factor = parseDuration("1" + unit).toMillis();
            if (millis >= factor && millis % factor == 0) {
                return millis / factor + unit;
            }
        }
        return millis + "ms";
    }

    private static int unitAt(String text) {
        int at = 0;
        while (at < text.length()
                && (Character.isDigit(text.charAt(at)) || text.charAt(at) == '-')) {
            at++;
        }
        return at;
    }
}
