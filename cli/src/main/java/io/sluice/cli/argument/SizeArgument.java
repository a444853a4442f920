package io.sluice.cli.argument;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Sizes in bytes as people type them: `100`, `100B`, `1KiB`, `1k`, `4MB`. All multiples are of 1024, as brokers count.
///
/// Stateless.
public final class SizeArgument implements ITypeConverter<Integer> {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,10})\\s*(b|k|kb|kib|m|mb|mib)?");

    @Override
    public Integer convert(String value) {
        Matcher size = SIZE.matcher(value.trim().toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new TypeConversionException(
                    "'" + value + "' is no size. Write it as 100, 1KiB or 4MiB.");
        }
        String unit = size.group(2) == null ? "b" : size.group(2);
        int shift = unit.startsWith("k") ? 10 : unit.startsWith("m") ? 20 : 0;
        long bytes = Long.parseLong(size.group(1)) << shift;
        if (bytes > Integer.MAX_VALUE) {
            throw new TypeConversionException("'" + value + "' is more than 2 GiB.");
        }
        return (int) bytes;
    }
}
