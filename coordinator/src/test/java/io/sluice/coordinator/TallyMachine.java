package io.sluice.coordinator;

import io.sluice.record.LogRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The smallest machine with everything: named counters that are logged, callers who wait for a count, a timer.
final class TallyMachine implements Machine<TallyMachine.Command, TallyMachine.Change, Long> {
    sealed interface Command {
        record Add(String name, long count) implements Command {}

        record Read(String name) implements Command {}

        /// Answered when the counter has reached the count.
        record Await(String name, long count) implements Command {}

        record AddLater(String name, long atNanos) implements Command {}
    }

    sealed interface Change {
        record Counted(String name, long total) implements Change {}

        record Waits(String name, long count, Ticket ticket) implements Change {}

        record Alarmed(String name, long nanos) implements Change {}
    }

    /// Reading this counter, and changing it, meets a bug.
    static final String BUGGY = "buggy";

    final Map<String, Long> totals = new TreeMap<>();
    private final List<Change.Waits> waiting = new ArrayList<>();
    private Change.@Nullable Alarmed alarm;
    int wakes;

    @Override
    public Decision<Change, Long> decide(Command command, Ticket ticket, Moment now) {
        return switch (command) {
            case Command.Add(String name, long count) -> add(name, count, ticket);
            case Command.Read(String name) -> Decision.answer(ticket, total(name));
            case Command.Await(String name, long count) ->
                    Decision.of(List.of(new Change.Waits(name, count, ticket)));
            case Command.AddLater(String name, long atNanos) ->
                    Decision.of(List.of(new Change.Alarmed(name, atNanos)), ticket, 0L);
        };
    }

    private long total(String name) {
        if (name.equals(BUGGY)) {
            throw new IllegalStateException("a bug");
        }
        return totals.getOrDefault(name, 0L);
    }

    private Decision<Change, Long> add(String name, long count, @Nullable Ticket ticket) {
        long total = totals.getOrDefault(name, 0L) + count;
        List<Decision.Answer<Long>> answers = new ArrayList<>();
        if (ticket != null) {
            answers.add(new Decision.Answer<>(ticket, total));
        }
        for (Change.Waits one : waiting) {
            if (one.name().equals(name) && one.count() == total) {
                answers.add(new Decision.Answer<>(one.ticket(), total));
            }
        }
        List<Change> changes = new ArrayList<>(List.of(new Change.Counted(name, total)));
        if (ticket == null) {
            changes.add(new Change.Alarmed(name, Long.MAX_VALUE));
        }
        return new Decision<>(changes, answers, List.of());
    }

    @Override
    public void apply(Change change) {
        switch (change) {
            case Change.Counted(String name, long total) -> {
                total(name); // Which may meet the bug.
                totals.put(name, total);
            }
            case Change.Waits waits -> waiting.add(waits);
            case Change.Alarmed alarmed -> alarm = alarmed;
        }
    }

    @Override
    public Decision<Change, Long> recovered(Moment now) {
        return Decision.of(List.of());
    }

    @Override
    public long nextAlarmNanos() {
        return alarm == null ? Long.MAX_VALUE : alarm.nanos();
    }

    @Override
    public Decision<Change, Long> wake(Moment now) {
        wakes++;
        return add(Objects.requireNonNull(alarm).name(), 1, null);
    }

    static final class Format implements ChangeFormat<Change> {
        @Override
        public @Nullable LogRecord encode(Change change, long wallMillis) {
            return switch (change) {
                case Change.Counted(String name, long total) ->
                        LogRecord.of(wallMillis, name, String.valueOf(total));
                case Change.Waits _, Change.Alarmed _ -> null;
            };
        }

        @Override
        public @Nullable Change decode(LogRecord record) {
            String name = text(record.key());
            if (name.startsWith("unknown")) {
                return null;
            }
            try {
                return new Change.Counted(name, Long.parseLong(text(record.value())));
            } catch (NumberFormatException e) {
                throw new MalformedChange("not a number");
            }
        }

        private static String text(@Nullable ByteBuffer bytes) {
            return bytes == null ? "" : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
        }
    }
}
