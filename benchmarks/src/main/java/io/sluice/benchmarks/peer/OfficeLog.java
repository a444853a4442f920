package io.sluice.benchmarks.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What Sluice's brokers print about a change of the controller: who took office and when, and when its first elections were durable.
///
/// Immutable.
public final class OfficeLog {
    private static final String TAKES_OFFICE = " is the controller, in epoch ";
    private static final String HAS_ELECTED = " have a new term of office";

    private final List<String> lines;

    OfficeLog(List<String> lines) {
        this.lines = List.copyOf(lines);
    }

    /// Of all brokers that still run.
    public static OfficeLog of(Brokers brokers) {
        List<String> lines = new ArrayList<>();
        for (BrokerProcess broker : brokers.all()) {
            if (broker.isAlive()) {
                try {
                    lines.addAll(Files.readAllLines(broker.place().output()));
                } catch (IOException failure) {
                    throw new UncheckedIOException("Cannot read a broker's output", failure);
                }
            }
        }
        return new OfficeLog(lines);
    }

    /// From taking office to the first elections, of the first controller that took office after that moment; null when there was none, or it elected nobody.
    public @Nullable Duration timeToActAfter(Instant moment) {
        Instant took = first(TAKES_OFFICE, moment);
        Instant elected = took == null ? null : first(HAS_ELECTED, took);
        return took == null || elected == null ? null : Duration.between(took, elected);
    }

    private @Nullable Instant first(String text, Instant from) {
        Instant first = null;
        for (String line : lines) {
            Instant at = line.contains(text) ? timeOf(line) : null;
            if (at != null && !at.isBefore(from) && (first == null || at.isBefore(first))) {
                first = at;
            }
        }
        return first;
    }

    /// The time is the first word; null for a line that only quotes another.
    private static @Nullable Instant timeOf(String line) {
        try {
            return Instant.parse(line.substring(0, line.indexOf(' ')));
        } catch (DateTimeException | StringIndexOutOfBoundsException noTime) {
            return null;
        }
    }
}
