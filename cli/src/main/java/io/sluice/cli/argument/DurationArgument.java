package io.sluice.cli.argument;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Durations as people type them: `250ms`, `10s`, `5m`, `1h30m`, `2d`. A bare number is refused, because nobody agrees on
/// its unit.
///
/// Stateless.
public final class DurationArgument implements ITypeConverter<Duration> {
    private static final Pattern PART = Pattern.compile("(\\d+)(ms|s|m|min|h|d)");
    private static final Pattern WHOLE = Pattern.compile("(\\d+(ms|s|min|m|h|d))+");

    @Override
    public Duration convert(String value) {
        String text = value.trim().toLowerCase(Locale.ROOT);
        if (!WHOLE.matcher(text).matches()) {
            throw new TypeConversionException(
                    "'"
                            + value
                            + "' is no duration. Write it with units: 250ms, 10s, 5m, 1h30m, 2d.");
        }
        try {
            return parts(text);
        } catch (ArithmeticException | NumberFormatException e) {
            throw new TypeConversionException("'" + value + "' is too long a time.");
        }
    }

    private static Duration parts(String text) {
        Duration sum = Duration.ZERO;
        Matcher part = PART.matcher(text.replace("min", "m"));
        while (part.find()) {
            long amount = Long.parseLong(part.group(1));
            sum =
                    sum.plus(
                            switch (part.group(2)) {
                                case "ms" -> Duration.ofMillis(amount);
                                case "s" -> Duration.ofSeconds(amount);
                                case "m" -> Duration.ofMinutes(amount);
                                case "h" -> Duration.ofHours(amount);
                                case "d" -> Duration.ofDays(amount);
                                default -> throw new IllegalStateException(part.group(2));
                            });
        }
        return sum;
    }
}
