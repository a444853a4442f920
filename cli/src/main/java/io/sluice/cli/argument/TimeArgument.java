package io.sluice.cli.argument;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A moment as people type it, resolved against now and here: `10m` (ago), `2026-11-15`, `2026-11-15T08:30`,
/// `2026-11-15T08:30:00Z`, or `@` and epoch milliseconds.
///
/// Immutable.
public record TimeArgument(String typed) {
    /// What may be written, for those who wrote something else.
    static final String FORMS =
            "how long ago (10m, 2h, 1d), a day (2026-11-15), a time (2026-11-15T08:30 or 2026-11-15T08:30:00Z) or @ and epoch milliseconds (@1794700800000)";

    private static final Pattern MILLIS = Pattern.compile("@\\d{1,15}");
    private static final Pattern AGO = Pattern.compile("\\d.*[a-zA-Z]");

    public Instant resolve(Instant now, ZoneId zone) {
        String text = typed.trim();
        if (MILLIS.matcher(text).matches()) {
            return Instant.ofEpochMilli(Long.parseLong(text.substring(1)));
        }
        try {
            if (AGO.matcher(text).matches() && !text.contains("-")) {
                return now.minus(new DurationArgument().convert(text));
            }
            if (text.length() <= 10) {
                return LocalDate.parse(text).atStartOfDay(zone).toInstant();
            }
            return text.endsWith("Z") || text.indexOf('+') > 10 || text.lastIndexOf('-') > 10
                    ? OffsetDateTime.parse(text).toInstant()
                    : LocalDateTime.parse(text.replace(' ', 'T')).atZone(zone).toInstant();
        } catch (DateTimeException | ArithmeticException | TypeConversionException e) {
            throw invalid(typed);
        }
    }

    private static TypeConversionException invalid(String typed) {
        return new TypeConversionException("'%s' is no time. Write %s.".formatted(typed, FORMS));
    }

    /// Checks the writing while the command line is parsed, so that a mistake is a usage error.
    public static final class Converter implements ITypeConverter<TimeArgument> {
        @Override
        public TimeArgument convert(String value) {
            var time = new TimeArgument(value);
            var _ = time.resolve(Instant.EPOCH, ZoneId.of("UTC"));
            return time;
        }
    }
}
