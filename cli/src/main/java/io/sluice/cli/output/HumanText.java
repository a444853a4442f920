package io.sluice.cli.output;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Values as people like to read them.
///
/// Immutable.
public final class HumanText {
    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT);

    private final ZoneId zone;

    public HumanText(ZoneId zone) {
        this.zone = zone;
    }

    public String of(Value value) {
        return switch (value) {
            case Value.Text(String text) -> printable(text);
            case Value.Count(long count) -> grouped(count);
            case Value.Ordinal(long number) -> Long.toString(number);
            case Value.Decimal(double number, int decimals) -> decimal(number, decimals);
            case Value.Bytes(long bytes) -> size(bytes);
            case Value.Time(Instant instant) -> time(instant);
            case Value.Span(Duration duration) -> span(duration);
            case Value.Flag(boolean flag) -> flag ? "yes" : "no";
            case Value.State(String text, _) -> printable(text);
            case Value.Absent() -> "-";
            case Value.Items(List<? extends Value> items) ->
                    items.isEmpty()
                            ? "-"
                            : items.stream().map(this::of).collect(Collectors.joining(","));
            case Fields fields ->
                    fields.values().isEmpty()
                            ? "-"
                            : fields.values().entrySet().stream()
                                    .map(
                                            field ->
                                                    printable(field.getKey())
                                                            + "="
                                                            + of(field.getValue()))
                                    .collect(Collectors.joining(" "));
        };
    }

    public String time(Instant instant) {
        return TIME.format(instant.atZone(zone));
    }

    public static String grouped(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    static String decimal(double number, int decimals) {
        return String.format(Locale.ROOT, "%,." + decimals + "f", number);
    }

    /// Powers of 1024, one decimal from KiB on: `512 B`, `1.5 KiB`.
    public static String size(long bytes) {
        if (Math.abs(bytes) < 1024) {
            return bytes + " B";
        }
        double amount = bytes;
        int unit = 0;
        while (Math.abs(amount) >= 1024 && unit < SIZES.length - 1) {
            amount /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", amount, SIZES[unit]);
    }

    /// The two largest units that matter: `350 ms`, `12.3 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
    public static String span(Duration duration) {
        if (duration.isNegative()) {
            return "-" + span(duration.negated());
        }
        long millis = duration.toMillis();
        if (millis < 1_000) {
            return millis == 0 && !duration.isZero() ? fraction(duration) : millis + " ms";
        }
        long seconds = duration.toSeconds();
        if (seconds < 60) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
        }
        if (seconds < 3_600) {
            return two(seconds / 60, "min", seconds % 60, "s");
        }
        if (seconds < 86_400) {
            return two(seconds / 3_600, "h", seconds % 3_600 / 60, "min");
        }
        return two(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h");
    }

    private static String fraction(Duration duration) {
        return String.format(Locale.ROOT, "%.2f ms", duration.toNanos() / 1e6);
    }

    private static String two(long large, String unit, long small, String smallUnit) {
        String first = large + " " + unit;
        return small == 0 ? first : first + " " + small + " " + smallUnit;
    }

    /// Control characters in somebody's message must not reach the terminal, where they could move the cursor, recolour or
    /// retitle it.
    public static String printable(String text) {
        StringBuilder safe = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean control = Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
            if (control && safe == null) {
                safe = new StringBuilder(text.length() + 16).append(text, 0, i);
            }
            if (safe != null) {
                safe.append(control ? escape(c) : String.valueOf(c));
            }
        }
        return safe == null ? text : safe.toString();
    }

    private static String escape(char c) {
        return switch (c) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> String.format(Locale.ROOT, "\\u%04x", (int) c);
        };
    }
}
