package io.sluice.controller;

import io.sluice.env.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This broker's times in the controller's office: how one begins, and what it means that it ends. Owned by the controller's mailbox.
///
/// ```
///   not in office ── claim committed ──▶ in office ── epoch has moved on, session expired ──▶ not in office
///                                         ▲    │ the store cannot be reached: keeps it, and decides nothing
///                                         └────┘
/// ```
final class Tenure {
    private static final Logger LOG = LoggerFactory.getLogger(Tenure.class);

    private final int self;
    private final Clock clock;
    private final ControllerSettings settings;
    private final Function<Map<String, String>, TopicRules> rules;
    private final Claiming claiming;
    private final ControllerDriver.Audience audience;
    private @Nullable Office office;
    private long lastActed;
    private long steadySince;

    Tenure(
            int self,
            Clock clock,
            ControllerSettings settings,
            Function<Map<String, String>, TopicRules> rules,
            Claiming claiming,
            ControllerDriver.Audience audience) {
        this.self = self;
        this.clock = clock;
        this.settings = settings;
        this.rules = rules;
        this.claiming = claiming;
        this.audience = audience;
        this.lastActed = clock.monotonicNanos();
        this.steadySince = lastActed;
    }

    /// Also while the store cannot be reached.
    @Nullable Office office() {
        return office;
    }

    /// @param gone the former controller, if nobody answers there
    void begin(int epoch, int gone, ClusterView view) {
        LOG.info("Broker {} is the controller, in epoch {}", self, epoch);
        long now = clock.monotonicNanos();
        Office taken = new Office(epoch, self, settings, rules, now);
        taken.changed(ClusterView.empty(), view, List.of(), now);
        taken.liveness().gone(gone);
        taken.liveness().suspectAll(now);
        office = taken;
        audience.counters().officesTaken.increment();
        audience.activity().accept(true);
    }

    void connected(long now) {
        steadySince = now;
        audience.activity().accept(office != null);
    }

    void disconnected() {
        audience.activity().accept(false);
        Office present = office;
        if (present != null) {
            LOG.warn("The metadata store cannot be reached: this controller decides nothing");
            present.end("The controller cannot reach the metadata store; try again.");
        }
    }

    /// To be called often: whoever was asleep is not steady.
    void acts(long now) {
        steadySince = isAsleepAt(now) ? now : steadySince;
        lastActed = now;
    }

    private boolean isAsleepAt(long now) {
        return now - lastActed > settings.heartbeatTimeout().toNanos() / 2;
    }

    /// Only whoever was there all the time has lost the office for nothing, and should be slow to take it back.
    void displaced(int successor, long now) {
        if (!isAsleepAt(now) && now - steadySince > settings.heartbeatTimeout().toNanos()) {
            claiming.displaced(now);
        }
        end("Broker " + successor + " is the controller now.");
    }

    void end(String sentence) {
        Office ended = office;
        office = null;
        audience.activity().accept(false);
        if (ended != null) {
            LOG.warn("Broker {} is not the controller any more: {}", self, sentence);
            audience.counters().officesLost.increment();
            ended.end(sentence);
        }
    }
}
