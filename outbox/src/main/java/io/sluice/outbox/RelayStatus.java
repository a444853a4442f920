package io.sluice.outbox;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.Page;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the relay is doing, for those who look at it.
///
/// Thread-safe: a monitor.
public final class RelayStatus {
    private static final Logger LOG = LoggerFactory.getLogger(RelayStatus.class);

    private static final String BROKER = "broker: ";

    private SortedSet<Integer> lanes = new TreeSet<>();
    private final SortedMap<Integer, String> stopped = new TreeMap<>();
    private final Consumer<Duration> latency;
    private final LongSupplier statements;
    private long readAtNanos;
    private long published;
    private long polls;
    private long emptyPolls;
    private long parked;
    private int parkedKeys;
    private @Nullable String trouble;
    private @Nullable String alarm; // The last that was given, since anything was published.
    private long caughtUpAtNanos = System.nanoTime();
    private boolean caughtUp;
    private long oldestAtNanos = caughtUpAtNanos;

    /// @param latency gets the time from each event's insertion to its acknowledgement, where the table tells it
    /// @param statements how many the publishing thread has executed
    RelayStatus(Consumer<Duration> latency, LongSupplier statements) {
        this.latency = latency;
        this.statements = statements;
    }

    /// The numbers of the lanes that this relay owns.
    public synchronized SortedSet<Integer> lanes() {
        return Collections.unmodifiableSortedSet(new TreeSet<>(lanes));
    }

    /// Events acknowledged by the broker since the start.
    public synchronized long published() {
        return published;
    }

    /// Looks at the table since the start.
    public synchronized long polls() {
        return polls;
    }

    /// Statements of the publishing thread since the start: all but the renewals of the lease and the care for partitions, which are the same however
    /// many events there are.
    public long statements() {
        return statements.getAsLong();
    }

    /// Looks that found nothing.
    public synchronized long emptyPolls() {
        return emptyPolls;
    }

    /// Events parked since the start.
    public synchronized long parked() {
        return parked;
    }

    /// Aggregates of this relay's lanes that wait behind a refused event now.
    public synchronized int parkedKeys() {
        return parkedKeys;
    }

    /// Why nothing is published at the moment: database or broker cannot be reached.
    public synchronized @Nullable String trouble() {
        return trouble;
    }

    /// Age of the oldest event of this relay's lanes that is not published, parked ones excepted; zero if there is none. While the
    /// relay cannot look, because database or broker cannot be reached, it is the time since there was none.
    public synchronized Duration oldestUnpublished() {
        boolean isOthersBusiness = lanes.isEmpty() && trouble == null;
        if (isOthersBusiness || (caughtUp && trouble == null)) {
            return Duration.ZERO;
        }
        long now = System.nanoTime();
        return Duration.ofNanos(now - (caughtUp ? caughtUpAtNanos : oldestAtNanos));
    }

    /// Lanes that wait for somebody to change a setting, with the reason.
    public synchronized Map<Integer, String> stopped() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(stopped));
    }

    synchronized void owns(Collection<Lane> owned, int withParkedKeys) {
        parkedKeys = withParkedKeys;
        if (owned.size() != lanes.size()
                || !owned.stream().allMatch(lane -> lanes.contains(lane.number()))) {
            lanes = new TreeSet<>(owned.stream().map(Lane::number).toList());
            stopped.keySet().retainAll(lanes); // Whoever has them now tells.
        }
        if (lanes.isEmpty() && trouble != null && trouble.startsWith(BROKER)) {
            trouble =
                    null; // It has nothing to send, and so would never see that the broker is back.
        }
    }

    synchronized void read(Page page, long nowNanos) {
        readAtNanos = nowNanos;
        polls++;
        emptyPolls += page.events().isEmpty() ? 1 : 0;
        if (page.events().isEmpty()) {
            caughtUp(page.complete());
        } else {
            // In the order of ord the first is not always the oldest, but nearly.
            long age = Math.max(0, page.events().getFirst().ageMicros());
            oldestAtNanos = nowNanos - age * 1_000;
            caughtUp = false;
        }
    }

    /// A page is done. What waits in lanes that have stopped is not read meanwhile, and yet not published.
    synchronized void caughtUp(boolean complete) {
        if (stopped.isEmpty()) {
            caughtUp |= complete;
            caughtUpAtNanos = System.nanoTime();
        }
    }

    /// @param atNanos when the last of them was acknowledged: the next page may have been read since
    synchronized void published(Collection<Numbered> events, long atNanos) {
        if (!events.isEmpty()) {
            published += events.size();
            long sinceRead = Math.max(0, atNanos - readAtNanos);
            events.forEach(event -> measure(event, sinceRead));
            trouble = null;
            alarm = null;
        }
        if (!stopped.isEmpty()) {
            events.forEach(event -> stopped.remove(event.event().lane()));
        }
    }

    private void measure(Numbered event, long sinceReadNanos) {
        if (event.event().ageMicros() >= 0) {
            latency.accept(Duration.ofNanos(event.event().ageMicros() * 1_000 + sinceReadNanos));
        }
    }

    synchronized void parked(Numbered event, String reason) {
        parked++;
        LOG.warn(
                "Event {} of aggregate {} is parked, later ones of the aggregate wait behind it: {}",
                event.event().id(),
                event.event().key(),
                reason);
    }

    synchronized void transportFailed(String reason) {
        trouble = BROKER + reason;
    }

    synchronized void databaseFailed(@Nullable String reason) {
        trouble = "database: " + reason;
    }

    synchronized void databaseReached() {
        if (trouble != null && !trouble.startsWith(BROKER)) {
            trouble = null;
        }
    }

    synchronized void brokerReached() {
        if (trouble != null && trouble.startsWith(BROKER)) {
            trouble = null;
        }
    }

    /// What nobody has foreseen.
    synchronized void failed(Throwable failure) {
        trouble = "the relay failed: " + failure;
    }

    /// One alarm, however many lanes and attempts it concerns.
    synchronized void stopped(int lane, String reason) {
        String problem = problem(reason);
        if (stopped.values().stream().noneMatch(other -> problem(other).equals(problem))
                && !problem.equals(alarm)) {
            alarm = problem;
            LOG.error(
                    "Lane {} stops, and so will others with this problem, until the setting is changed; it is tried again every few seconds: {}",
                    lane,
                    reason);
        }
        stopped.put(lane, reason);
    }

    /// The kind of failure: what follows it may be said in other words each time.
    private static String problem(String reason) {
        int colon = reason.indexOf(':');
        return colon < 0 ? reason : reason.substring(0, colon);
    }
}
