package io.sluice.listener.sqs;

import io.sluice.listener.lane.Classifier;
import io.sluice.listener.lane.LaneObserver;
import io.sluice.listener.lane.LaneSettings;
import io.sluice.listener.lane.LaneState;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Intake.Reservation;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.util.List;

/// What an [SqsSource] is made of, put together as it does it, over a [ScriptedQueue] and with one lane. Nothing runs that the test has not started.
final class SqsParts {
    /// Of a standard queue that delivers as often as one likes.
    static final QueueFacts STANDARD = new QueueFacts(false, 0, 262_144, "http://nowhere/dead");

    final ScriptedQueue queue;
    final SqsSettings settings;
    final Leases leases;
    final Parked parked = new Parked(10);
    final Teller teller;
    final Lanes lanes;
    final Verdicts.Movers movers;
    final LastDeliveries lastDeliveries = new LastDeliveries();
    final Verdicts verdicts;

    /// All messages belong to the lane.
    SqsParts(ScriptedQueue queue, QueueFacts facts, LaneSettings lane) {
        this(queue, settings(queue), facts, lane, message -> lane.name());
    }

    SqsParts(
            ScriptedQueue queue,
            SqsSettings settings,
            QueueFacts facts,
            LaneSettings lane,
            Classifier classifier) {
        this.queue = queue;
        this.settings = settings;
        this.leases = new Leases(settings.lease(), settings.longestJob());
        this.teller = new Teller(settings, leases, parked);
        this.lanes = new Lanes(List.of(lane), classifier, this::settle, LaneObserver.NONE);
        this.movers =
                new Verdicts.Movers(
                        new Mover("letters", settings, teller, lanes),
                        new Mover("copies", settings, teller, lanes));
        this.verdicts =
                new Verdicts(settings, facts, leases, teller, movers, lastDeliveries, lanes);
    }

    static SqsSettings settings(ScriptedQueue queue) {
        return SqsSettings.of(queue, "http://nowhere/queue");
    }

    void settle(Message message, Settlement settlement) {
        verdicts.on(message, settlement);
    }

    /// As a poll does that has found this message.
    void deliver(Message message) {
        deliver(message, System.nanoTime());
    }

    /// @param leasedNanos since when it has been leased
    void deliver(Message message, long leasedNanos) {
        leases.hold(message, leasedNanos);
        try (Reservation room = lanes.reserve(1)) {
            room.deliver(List.of(message));
        }
    }

    LaneState state() {
        return lanes.states().getFirst();
    }

    Heartbeat heartbeat() {
        return heartbeat(lanes);
    }

    /// @param intake what it finds in the lanes' place
    Heartbeat heartbeat(Intake intake) {
        return new Heartbeat(settings, leases, verdicts, intake);
    }

    Polls polls() {
        return polls(lanes);
    }

    /// @param intake what they find in the lanes' place
    Polls polls(Intake intake) {
        return new Polls(settings, leases, verdicts, teller, intake);
    }

    Recall recall() {
        return new Recall(settings, leases, parked, lastDeliveries, lanes);
    }
}
