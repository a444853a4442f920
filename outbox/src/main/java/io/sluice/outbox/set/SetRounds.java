package io.sluice.outbox.set;

import io.sluice.outbox.RelayCounts;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.publishing.Suspicion;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Set mode's rounds: read a page, save the list of it, send it, delete it.
///
/// Owned by the publishing thread.
final class SetRounds {
    private static final Logger LOG = LoggerFactory.getLogger(SetRounds.class);
    private static final Backoff TRANSPORT =
            new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
    private static final Duration STOPPED = Duration.ofSeconds(1);

    /// How troubles begin that are not the database's.
    static final String BROKER = "broker: ";

    private final RelaySettings settings;
    private final SetTables tables;
    private final Map<Integer, SetLane> lanes;
    private final BooleanSupplier mayPublish;
    private final Pause pause;
    private final Consumer<@Nullable String> trouble;
    private final RelayCounts counts;
    private final Suspicion suspicion = new Suspicion();
    private final Set<String> parked = new HashSet<>();
    private final Set<String> parkedNow = new HashSet<>();

    /// Waits, unless the relay stops.
    interface Pause {
        /// @return whether it does
        boolean isStopping(Duration longest) throws InterruptedException;
    }

    SetRounds(
            RelaySettings settings,
            SetTables tables,
            Map<Integer, SetLane> lanes,
            BooleanSupplier mayPublish,
            Pause pause,
            Consumer<@Nullable String> trouble,
            RelayCounts counts) {
        this.settings = settings;
        this.tables = tables;
        this.lanes = lanes;
        this.mayPublish = mayPublish;
        this.pause = pause;
        this.trouble = trouble;
        this.counts = counts;
    }

    /// Lanes have come; so have perhaps parked aggregates.
    void took(Connection connection) throws SQLException {
        parked.clear();
        parked.addAll(tables.parked(connection));
        connection.commit();
    }

    /// @return events acknowledged
    int publish(Connection connection, Sender sender) throws SQLException, InterruptedException {
        counts.parkedKeys((int) parked.stream().filter(this::isOurs).count());
        if (lanes.isEmpty()) {
            return 0;
        }
        List<Numbered> toSend = begun(connection);
        if (toSend.isEmpty()) {
            toSend = begin(connection);
        }
        if (toSend.isEmpty()) {
            return 0;
        }
        parkedNow.clear();
        List<Event> done = send(connection, sender, toSend);
        finish(connection, done);
        return done.size();
    }

    /// What a predecessor has begun, or we could not finish.
    private List<Numbered> begun(Connection connection) throws SQLException {
        List<Long> ids = new ArrayList<>();
        Set<Integer> over = new TreeSet<>();
        for (SetLane lane : lanes.values()) {
            if (lane.sending() != null) {
                over.add(lane.number());
                lane.sending().stream().flatMapToLong(OptionalLong::stream).forEach(ids::add);
            }
        }
        if (over.isEmpty()) {
            return List.of();
        }
        List<Event> events = tables.read(connection, ids);
        connection.commit();
        looked(events);
        List<Numbered> left = numbered(events);
        left.forEach(event -> over.remove(event.event().lane()));
        if (!over.isEmpty()) {
            Map<Integer, SetLane> ended = new TreeMap<>();
            over.forEach(lane -> ended.put(lane, at(lane).end()));
            save(connection, ended); // All of it was published and deleted.
        }
        return left;
    }

    private List<Numbered> begin(Connection connection) throws SQLException {
        List<Event> events =
                tables.read(connection, lanes.keySet(), settings.pageRows(), settings.pageBytes());
        looked(events);
        if (events.isEmpty()) {
            counts.caughtUp();
        }
        Map<Integer, List<Long>> ids = new TreeMap<>();
        for (Event event : events) {
            ids.computeIfAbsent(event.lane(), lane -> new ArrayList<>()).add(event.ord());
        }
        Map<Integer, SetLane> begun = new TreeMap<>();
        ids.forEach((lane, list) -> begun.put(lane, at(lane).begin(list)));
        if (events.isEmpty() || !save(connection, begun)) {
            connection.rollback();
            return List.of();
        }
        return numbered(events);
    }

    private void looked(List<Event> events) {
        counts.looked(events.size(), events.stream().mapToLong(Event::ageMicros).max().orElse(-1));
    }

    /// As the table's column `lane` has it; of parked aggregates, only the names are kept.
    private boolean isOurs(String aggregate) {
        CRC32 hash = new CRC32();
        hash.update(aggregate.getBytes(StandardCharsets.UTF_8));
        return lanes.containsKey((int) (hash.getValue() & 63));
    }

    private List<Numbered> numbered(List<Event> events) {
        List<Numbered> numbered = new ArrayList<>();
        for (Event event : events) {
            at(event.lane())
                    .sequenceOf(event.ord())
                    .ifPresent(sequence -> numbered.add(new Numbered(event, sequence)));
        }
        numbered.sort(Comparator.comparingLong(Numbered::sequence));
        return numbered;
    }

    private List<Event> send(Connection connection, Sender sender, List<Numbered> all)
            throws SQLException, InterruptedException {
        List<Event> done = new ArrayList<>();
        List<Numbered> left = new ArrayList<>(all);
        int failures = 0;
        while (!left.isEmpty() && mayPublish.getAsBoolean()) {
            List<Numbered> now = List.copyOf(suspicion.some(left));
            Outcome outcome = sender.publish(now, mayPublish);
            for (Numbered event : outcome.acknowledged()) {
                counts.acknowledged(event.event().ageMicros());
                done.add(event.event());
            }
            Set<Numbered> acknowledged = new HashSet<>(outcome.acknowledged());
            left.removeIf(acknowledged::contains);
            failures = acknowledged.isEmpty() ? failures : 0;
            if (outcome.refused().isEmpty()) {
                suspicion.passed();
                continue;
            }
            Event event = outcome.refused().get().event().event();
            switch (suspicion.of(now, outcome.refused().get())) {
                case Refusal.Transport(String reason) -> {
                    trouble.accept(BROKER + reason);
                    if (pause.isStopping(TRANSPORT.after(++failures))) {
                        return done;
                    }
                }
                case Refusal.Unexplained(String reason) -> {
                    trouble.accept(BROKER + reason);
                    if (pause.isStopping(TRANSPORT.after(++failures))) {
                        return done;
                    }
                }
                case Refusal.OfRecord(String reason) -> {
                    if (!park(connection, event, reason, left)) {
                        return done;
                    }
                    left.removeIf(other -> waits(other.event(), event));
                }
                case Refusal.OfConfiguration(String reason) -> {
                    trouble.accept(BROKER + "lanes have stopped: " + reason);
                    pause.isStopping(STOPPED);
                    return done;
                }
            }
        }
        return done;
    }

    /// Written down before anything behind it is sent: a successor that could publish it would give it a number that consumers have passed.
    private boolean park(Connection connection, Event refused, String reason, List<Numbered> left)
            throws SQLException {
        LOG.warn(
                "Event {} of aggregate {} is parked, later ones of the aggregate wait behind it: {}",
                refused.id(),
                refused.key(),
                reason);
        SetLane lane = at(refused.lane());
        for (Numbered other : left) {
            if (waits(other.event(), refused)) {
                lane = lane.skip(other.event().ord());
            }
        }
        tables.park(connection, refused.key(), reason);
        if (!save(connection, Map.of(lane.number(), lane))) {
            return false;
        }
        parkedNow.add(refused.key());
        if (parked.add(refused.key())) {
            counts.parked();
        }
        return true;
    }

    /// What stands before it in its aggregate may be written, though nobody has said so: that has to be sent again with its number.
    private static boolean waits(Event event, Event refused) {
        return event.key().equals(refused.key()) && event.ord() >= refused.ord();
    }

    /// Deletes what is published, and closes the lists of which nothing is left.
    private void finish(Connection connection, List<Event> done) throws SQLException {
        Set<Long> gone = new HashSet<>();
        Set<String> passed = new HashSet<>();
        Set<Integer> touched = new TreeSet<>();
        for (Event event : done) {
            gone.add(event.ord());
            touched.add(event.lane());
            if (parked.contains(event.key()) && !parkedNow.contains(event.key())) {
                passed.add(event.key());
            }
        }
        Map<Integer, SetLane> changed = new TreeMap<>();
        for (SetLane lane : lanes.values()) {
            boolean over =
                    lane.sending() != null
                            && lane.sending().stream()
                                    .flatMapToLong(OptionalLong::stream)
                                    .allMatch(gone::contains);
            if (over || touched.contains(lane.number())) {
                changed.put(lane.number(), over ? lane.end() : lane);
            }
        }
        tables.delete(connection, List.copyOf(gone));
        if (!passed.isEmpty()) {
            tables.release(connection, passed);
            parked.removeAll(passed);
        }
        save(connection, changed);
    }

    /// @return false if a lane is somebody else's; then nothing is written, and all is read again
    private boolean save(Connection connection, Map<Integer, SetLane> changed) throws SQLException {
        if (!tables.save(connection, changed.values())) {
            connection.rollback();
            LOG.warn("Lanes are somebody else's by now; nothing more is written about them");
            lanes.clear();
            return false;
        }
        connection.commit();
        lanes.putAll(changed);
        return true;
    }

    private SetLane at(int number) {
        SetLane lane = lanes.get(number);
        if (lane == null) {
            throw new IllegalStateException("lane " + number + " is not ours");
        }
        return lane;
    }
}
