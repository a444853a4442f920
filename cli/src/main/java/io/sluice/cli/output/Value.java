package io.sluice.cli.output;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Something a command has to say, with its unit: people and programs get it in different writing.
///
/// Immutable.
public sealed interface Value permits Value.Scalar, Value.Items, Fields {

    /// A value without parts.
    sealed interface Scalar extends Value {}

    record Text(String text) implements Scalar {}

    record Count(long count) implements Scalar {}

    /// A number that names something, to be compared with what others write: shown as it is.
    record Ordinal(long number) implements Scalar {}

    /// A measured quantity, shown with so many decimals.
    record Decimal(double number, int decimals) implements Scalar {}

    /// A size; its key ends in `Bytes`.
    record Bytes(long bytes) implements Scalar {}

    record Time(Instant instant) implements Scalar {}

    /// A length of time; its key ends in `Seconds`, because that is what programs get.
    record Span(Duration duration) implements Scalar {}

    record Flag(boolean flag) implements Scalar {}

    /// A word that is good, doubtful or bad news.
    record State(String text, Mood mood) implements Scalar {}

    /// Not known, or not applicable.
    record Absent() implements Scalar {}

    record Items(List<? extends Value> items) implements Value {}

    /// How a state is to be taken.
    enum Mood {
        GOOD,
        DOUBTFUL,
        BAD
    }

    static Value text(@Nullable String text) {
        return text == null ? new Absent() : new Text(text);
    }

    static Value count(long count) {
        return new Count(count);
    }

    static Value ordinal(long number) {
        return new Ordinal(number);
    }

    static Value decimal(double number, int decimals) {
        return new Decimal(number, decimals);
    }

    static Value bytes(long bytes) {
        return new Bytes(bytes);
    }

    static Value time(Instant instant) {
        return new Time(instant);
    }

    static Value span(Duration duration) {
        return new Span(duration);
    }

    static Value flag(boolean flag) {
        return new Flag(flag);
    }

    static Value state(String text, Mood mood) {
        return new State(text, mood);
    }

    static Value absent() {
        return new Absent();
    }

    static Value items(List<? extends Value> items) {
        return new Items(items);
    }

    static Value texts(List<String> texts) {
        return new Items(texts.stream().map(Value::text).toList());
    }

    static Value counts(List<Integer> counts) {
        return new Items(counts.stream().map(count -> count(count.longValue())).toList());
    }
}
