package io.sluice.cli.argument;

import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A place in a topic as people type it: `beginning` (or `earliest`), `end` (or `latest`), an offset, or a time.
///
/// Immutable.
public sealed interface Place {
    Pattern DIGITS = Pattern.compile("\\d{1,18}");

    record Beginning() implements Place {}

    record End() implements Place {}

    record Offset(long offset) implements Place {}

    record Time(TimeArgument time) implements Place {}

    /// A bare number is an offset; a number of milliseconds has an `@` in front.
    final class Converter implements ITypeConverter<Place> {
        @Override
        public Place convert(String value) {
            String text = value.trim().toLowerCase(Locale.ROOT);
            return switch (text) {
                case "beginning", "earliest" -> new Beginning();
                case "end", "latest" -> new End();
                default ->
                        DIGITS.matcher(text).matches()
                                ? new Offset(Long.parseLong(text))
                                : new Time(time(value));
            };
        }

        private static TimeArgument time(String value) {
            try {
                return new TimeArgument.Converter().convert(value);
            } catch (TypeConversionException e) {
                throw new TypeConversionException(
                        "'%s' is no place in a topic. Write beginning, end, an offset (42), %s."
                                .formatted(value, TimeArgument.FORMS));
            }
        }
    }
}
