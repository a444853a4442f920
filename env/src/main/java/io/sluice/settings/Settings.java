package io.sluice.settings;

import io.sluice.settings.SettingDefinition.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/// Reads typed values out of raw texts, and remembers every definition it was asked for.
///
/// A module asks once for each of its settings; whatever is given and was never asked for is unknown and refused by
/// [#refuseUnknown]. Reading an empty `Settings` yields all defaults, which is how the reference pages are made. Owned by its creator.
public final class Settings {
    private static final String HIDDEN = "(hidden)";

    private final Map<String, String> given;
    private final Map<String, SettingDefinition> asked = new LinkedHashMap<>();

    public Settings(Map<String, String> given) {
        this.given = given;
    }

    public boolean flag(String name, boolean defaultValue, String doc) {
        return read(
                name,
                Kind.FLAG,
                String.valueOf(defaultValue),
                "true or false",
                doc,
                Settings::parseFlag);
    }

    public int integer(String name, int defaultValue, int min, int max, String doc) {
        return read(
                name,
                Kind.INTEGER,
                String.valueOf(defaultValue),
                bounds(min, max, Integer.MIN_VALUE, Integer.MAX_VALUE),
                doc,
                text ->
                        within(wholeNumber(text), value -> value >= min && value <= max)
                                .intValue());
    }

    /// A whole number in the unit that its name ends with (`retention.ms`, `segment.bytes`): Kafka's way.
    public long number(String name, long defaultValue, long min, long max, String doc) {
        return read(
                name,
                Kind.LONG,
                String.valueOf(defaultValue),
                bounds(min, max, Long.MIN_VALUE, Long.MAX_VALUE),
                doc,
                text -> within(wholeNumber(text), value -> value >= min && value <= max));
    }

    public double decimal(String name, double defaultValue, double min, double max, String doc) {
        return read(
                name,
                Kind.DECIMAL,
                String.valueOf(defaultValue),
                min + " to " + max,
                doc,
                text -> within(Double.parseDouble(text), value -> value >= min && value <= max));
    }

    public String text(String name, String defaultValue, String doc) {
        return read(name, Kind.TEXT, defaultValue, "", doc, text -> text);
    }

    /// A text that nobody must see: no definition and no sentence tells it.
    public String secret(String name, String doc) {
        String value = given.getOrDefault(name, "").trim();
        boolean isSet = given.containsKey(name);
        String shown = isSet ? HIDDEN : "";
        asked.put(name, new SettingDefinition(name, Kind.TEXT, "", "", doc, shown, isSet));
        return value;
    }

    /// One of the constants, written as `label` says.
    public <E extends Enum<E>> E choice(
            String name, E defaultValue, Function<E, String> label, String doc) {
        List<E> constants = List.of(defaultValue.getDeclaringClass().getEnumConstants());
        List<String> labels = constants.stream().map(label).toList();
        return read(
                name,
                Kind.CHOICE,
                label.apply(defaultValue),
                String.join(", ", labels),
                doc,
                text -> constants.get(within(labels.indexOf(text), index -> index >= 0)));
    }

    /// Comma-separated, each one of `allowed`; an empty `allowed` takes anything.
    public List<String> list(
            String name, List<String> defaultValue, Collection<String> allowed, String doc) {
        return read(
                name,
                Kind.LIST,
                String.join(",", defaultValue),
                allowed.isEmpty() ? "" : "any of " + String.join(", ", allowed),
                doc,
                text ->
                        within(
                                split(text),
                                values -> allowed.isEmpty() || allowed.containsAll(values)));
    }

    /// Bytes with a unit: `512MiB`, `64KiB`, `1024`.
    public long size(String name, String defaultValue, long minBytes, String doc) {
        return read(
                name,
                Kind.SIZE,
                defaultValue,
                "at least " + Quantities.formatSize(minBytes),
                doc,
                text -> within(Quantities.parseSize(text), value -> value >= minBytes));
    }

    /// A time span with a unit: `500ms`, `30s`, `5m`, `7d`.
    public Duration duration(String name, String defaultValue, Duration min, String doc) {
        return read(
                name,
                Kind.DURATION,
                defaultValue,
                "at least " + Quantities.formatDuration(min),
                doc,
                text -> within(Quantities.parseDuration(text), value -> value.compareTo(min) >= 0));
    }

    /// Every setting asked for so far, in that order.
    public List<SettingDefinition> definitions() {
        return new ArrayList<>(asked.values());
    }

    /// Throws for the first given key that nobody asked for, with the nearest known name.
    public void refuseUnknown() {
        for (String name : new TreeSet<>(given.keySet())) {
            if (!asked.containsKey(name)) {
                String meant = Nearest.to(name, asked.keySet());
                throw new InvalidSetting(
                        name,
                        "Unknown setting '"
                                + name
                                + "'"
                                + (meant == null ? "" : "; did you mean '" + meant + "'?"));
            }
        }
    }

    private <T> T read(
            String name,
            Kind kind,
            String defaultText,
            String allowed,
            String doc,
            Function<String, T> parse) {
        String text = given.get(name);
        boolean isSet = text != null;
        String effective = text == null ? defaultText : text.trim();
        asked.put(
                name,
                new SettingDefinition(name, kind, defaultText, allowed, doc, effective, isSet));
        try {
            return parse.apply(effective);
        } catch (OutOfBounds | ArithmeticException _) {
            throw invalid(name, effective, "which is not allowed", allowed);
        } catch (IllegalArgumentException _) {
            throw invalid(name, effective, "which is not " + kind.phrase(), allowed);
        }
    }

    private static InvalidSetting invalid(
            String name, String value, String complaint, String allowed) {
        StringBuilder sentence = new StringBuilder("Setting '").append(name);
        sentence.append("' has the value '").append(value).append("', ").append(complaint);
        if (!allowed.isEmpty()) {
            sentence.append("; allowed: ").append(allowed);
            sentence.append(unit(name));
        }
        return new InvalidSetting(name, sentence.append('.').toString());
    }

    /// Kafka's names say the unit of a bare number; a person who got it wrong may have missed it.
    private static String unit(String name) {
        return name.endsWith(".ms") ? " (milliseconds)" : name.endsWith(".bytes") ? " (bytes)" : "";
    }

    /// A value that can be understood and is not among those that are allowed.
    private static final class OutOfBounds extends IllegalArgumentException {}

    private static boolean parseFlag(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new OutOfBounds();
        };
    }

    private static <T> T within(T value, Predicate<T> bound) {
        if (!bound.test(value)) {
            throw new OutOfBounds();
        }
        return value;
    }

    /// A number too large for its type is a number all the same, and out of bounds.
    private static Long wholeNumber(String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw text.matches("[+-]?[0-9]+") ? new OutOfBounds() : e;
        }
    }

    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                parts.add(part.trim());
            }
        }
        return parts;
    }

    private static String bounds(long min, long max, long lowest, long highest) {
        if (min == lowest && max == highest) {
            return "";
        }
        return max == highest ? "at least " + min : min + " to " + max;
    }
}
