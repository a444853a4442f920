package io.sluice.outbox;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.publishing.Suspicion;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends what a round or a retry has to send, until nothing is left of it, and reacts to refusals: waits, has the event parked, or
/// stops the lane. Where nothing gets through for some time, the broker does not answer questions either, and others could try, it leaves the rest to them.
///
/// Owned by the publishing thread.
final class Dispatch {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatch.class);
    private static final Backoff TRANSPORT =
            new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
    private static final Duration STOPPED_LANE = Duration.ofSeconds(10);

    /// From the first attempt that failed, which by itself takes up to `delivery.timeout.ms`. A broker that is started again is back before.
    static final Duration CUT_OFF = Duration.ofSeconds(10);

    /// Events to be sent.
    interface Work {
        /// What is left, in order.
        List<Numbered> toSend();

        void acknowledged(Collection<Numbered> events);

        /// Never to be sent as it is; must be written down before anything behind it in its lane is sent.
        void refused(Numbered event, String reason) throws SQLException;

        /// Nothing more of this lane now.
        void leave(int lane);

        /// All of it is with the producer, and not all of it is answered: time to see what comes next.
        ///
        /// @return what may be sent behind it at once
        default List<Numbered> behind() {
            return List.of();
        }
    }

    private final Supplier<Optional<Seat>> seat;
    private final Waking waking;
    private final RelayStatus status;
    private final OwnedLanes lanes;
    private final Runnable alive;
    private final Duration patience;
    private final Suspicion suspicion = new Suspicion();
    private final Map<Integer, Long> stoppedUntilNanos = new HashMap<>();
    private long failingSinceNanos;
    private boolean failing;
    private boolean cutOff;
    private @Nullable String misconfiguration;

    /// @param seat the current one, if there is one
    /// @param alive called again and again while events are on their way
    /// @param patience after how long without any acknowledgement the broker is asked whether it is there
    Dispatch(
            Supplier<Optional<Seat>> seat,
            Waking waking,
            RelayStatus status,
            OwnedLanes lanes,
            Runnable alive,
            Duration patience) {
        this.seat = seat;
        this.waking = waking;
        this.status = status;
        this.lanes = lanes;
        this.alive = alive;
        this.patience = patience;
    }

    void send(Sender sender, Work work) throws SQLException, InterruptedException {
        int failures = 0;
        boolean first = true;
        List<Numbered> events = work.toSend();
        while (!events.isEmpty() && mayPublish() && reaches(sender)) {
            List<Numbered> now = suspicion.some(events);
            boolean whole = first && now.size() == events.size();
            first = false;
            Outcome outcome =
                    sender.publish(now, this::mayPublish, whole ? work::behind : List::of);
            work.acknowledged(outcome.acknowledged());
            status.published(outcome.acknowledged(), outcome.acknowledgedAtNanos());
            if (!outcome.acknowledged().isEmpty()) {
                failures = 0;
                failing = false;
                misconfiguration = null;
            }
            if (outcome.refused().isEmpty()) {
                suspicion.passed();
            } else {
                Numbered event = outcome.refused().get().event();
                switch (suspicion.of(now, outcome.refused().get())) {
                    case Refusal.Transport(String reason) -> pause(++failures, reason);
                    case Refusal.Unexplained(String reason) -> pause(++failures, reason);
                    case Refusal.OfRecord(String reason) -> work.refused(event, reason);
                    case Refusal.OfConfiguration(String reason) -> {
                        boolean all = outcome.acknowledged().isEmpty();
                        stop(all ? work.toSend() : List.of(event), work, reason);
                        misconfiguration = all ? reason : null;
                    }
                }
            }
            events = work.toSend();
        }
        if (events.isEmpty()) {
            failing = false; // Whatever is sent next is another matter.
        }
    }

    /// Asks the broker when nothing has got through for some time and there are others who might have the lanes. If it answers, some partition is without a leader, or
    /// short of replicas, for everybody: whoever took the lanes over would only send what is acknowledged here once more.
    private boolean reaches(Sender sender) {
        if (!cutOff && isOverdue()) {
            cutOff = sender.prepare().filter(Refusal.Transport.class::isInstance).isPresent();
            failing = cutOff; // If it answers, the time begins anew with the next failure.
        }
        return !cutOff;
    }

    private boolean isOverdue() {
        return failing
                && System.nanoTime() - failingSinceNanos > patience.toNanos()
                && seat.get().filter(now -> now.view().members().size() > 1).isPresent();
    }

    /// Whether others should have the lanes: they may reach the broker. Where it is away for all, they find that out as well, perhaps at the same moment, and nobody has
    /// lanes until it answers; who is alone keeps them.
    boolean isCutOff() {
        return cutOff;
    }

    /// Why the broker refuses all that this relay sends; perhaps it takes it from others. Empty if something has got through since.
    Optional<String> misconfiguration() {
        return Optional.ofNullable(misconfiguration);
    }

    /// It may be different now.
    void beginAgain() {
        failing = false;
        cutOff = false;
        misconfiguration = null;
        stoppedUntilNanos.clear();
    }

    /// Until the lease is in doubt. A relay that stops finishes the page that it has begun, if that does not take long.
    boolean mayPublish() {
        alive.run();
        return waking.mayFinish()
                && seat.get()
                        .filter(now -> now.number() == lanes.self() && now.isTrusted())
                        .isPresent();
    }

    private void pause(int failures, String reason) throws InterruptedException {
        if (!mayPublish()) {
            return; // It was us who stopped.
        }
        if (!failing) {
            failing = true;
            failingSinceNanos = System.nanoTime();
        }
        if (failures == 1) {
            LOG.warn("The broker cannot be reached, publishing pauses: {}", reason);
        }
        status.transportFailed(reason);
        waking.pause(TRANSPORT.after(failures));
    }

    /// There is one topic for all lanes: where nothing got through, each of them would wait as long for the same answer.
    private void stop(Collection<Numbered> events, Work work, String reason) {
        long until = System.nanoTime() + STOPPED_LANE.toNanos();
        for (int lane : events.stream().map(event -> event.event().lane()).distinct().toList()) {
            stoppedUntilNanos.put(lane, until);
            status.stopped(lane, reason);
            work.leave(lane);
        }
    }

    /// Lanes that do not wait for somebody to change a setting.
    List<Lane> running() {
        return lanes.all().stream().filter(lane -> !isStopped(lane)).toList();
    }

    private boolean isStopped(Lane lane) {
        Long until = stoppedUntilNanos.get(lane.number());
        if (until != null && System.nanoTime() - until >= 0) {
            stoppedUntilNanos.remove(lane.number());
            return false;
        }
        return until != null;
    }
}
