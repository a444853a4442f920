package io.sluice.outbox;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.membership.Membership;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends what a round or a retry has to send, until nothing is left of it, and reacts to refusals: waits, has the event parked, or
/// stops the lane. Where nothing gets through for some time and others could try, it leaves the rest to them.
///
/// Owned by the publishing thread.
final class Dispatch {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatch.class);
    private static final Backoff TRANSPORT =
            new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
    private static final Duration STOPPED_LANE = Duration.ofSeconds(10);

    /// From the first attempt that failed, which by itself takes up to `delivery.timeout.ms`. A broker that is started again is back before.
    private static final Duration CUT_OFF = Duration.ofSeconds(10);

    /// Events to be sent.
    interface Work {
        /// What is left, in order.
        List<Numbered> toSend();

        void acknowledged(Collection<Numbered> events);

        /// Never to be sent as it is; must be written down before anything behind it in its lane is sent.
        void refused(Numbered event, String reason) throws SQLException;

        /// Nothing more of this lane now.
        void leave(int lane);
    }

    private final Membership membership;
    private final Waking waking;
    private final RelayStatus status;
    private final OwnedLanes lanes;
    private final Runnable alive;
    private final Suspicion suspicion = new Suspicion();
    private final Map<Integer, Long> stoppedUntilNanos = new HashMap<>();
    private long failingSinceNanos;
    private boolean failing;

    /// @param alive called again and again while events are on their way
    Dispatch(
            Membership membership,
            Waking waking,
            RelayStatus status,
            OwnedLanes lanes,
            Runnable alive) {
        this.membership = membership;
        this.waking = waking;
        this.status = status;
        this.lanes = lanes;
        this.alive = alive;
    }

    void send(Sender sender, Work work) throws SQLException, InterruptedException {
        int failures = 0;
        List<Numbered> events = work.toSend();
        while (!events.isEmpty() && mayPublish() && !isCutOff()) {
            List<Numbered> now = suspicion.some(events);
            Outcome outcome = sender.publish(now, this::mayPublish);
            work.acknowledged(outcome.acknowledged());
            status.published(outcome.acknowledged());
            if (!outcome.acknowledged().isEmpty()) {
                failures = 0;
                failing = false;
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
                        stop(event.event().lane(), reason);
                        work.leave(event.event().lane());
                    }
                }
            }
            events = work.toSend();
        }
        if (events.isEmpty()) {
            failing = false; // Whatever is sent next is another matter.
        }
    }

    /// Whether nothing has got through to the broker for so long that others should have the lanes, and there are others. They may reach it, or find that it
    /// is away for all; the last one keeps its lanes.
    boolean isCutOff() {
        return failing
                && System.nanoTime() - failingSinceNanos > CUT_OFF.toNanos()
                && membership.seat().filter(seat -> seat.view().members().size() > 1).isPresent();
    }

    /// The broker has answered since.
    void reached() {
        failing = false;
    }

    /// Until the lease is in doubt. A relay that stops finishes the page that it has begun, if that does not take long.
    boolean mayPublish() {
        alive.run();
        return waking.mayFinish()
                && membership
                        .seat()
                        .filter(seat -> seat.number() == lanes.self() && seat.isTrusted())
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

    private void stop(int lane, String reason) {
        stoppedUntilNanos.put(lane, System.nanoTime() + STOPPED_LANE.toNanos());
        status.stopped(lane, reason);
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
