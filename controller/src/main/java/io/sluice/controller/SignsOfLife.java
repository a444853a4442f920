package io.sluice.controller;

import io.sluice.env.Coordination.Node;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What brokers tell each other of being alive, as one of them hears it: the signs of life of all, while it is the controller; the controller's answers to its own, which also [confirm][Standing] its place.
///
/// Owned by the controller's mailbox.
final class SignsOfLife {
    private static final Logger LOG = LoggerFactory.getLogger(SignsOfLife.class);

    private final ControllerDriver driver;
    private final ControllerDoors doors;
    private final ControllerSettings settings;
    private final int self;
    private final Claiming claiming;
    private final Standing standing;
    private final StoreReader reader;
    private boolean confirming;

    SignsOfLife(
            ControllerDriver driver,
            ControllerDoors doors,
            ControllerSettings settings,
            int self,
            Claiming claiming,
            Standing standing,
            StoreReader reader) {
        this.driver = driver;
        this.doors = doors;
        this.settings = settings;
        this.self = self;
        this.claiming = claiming;
        this.standing = standing;
        this.reader = reader;
    }

    private long now() {
        return doors.clock().monotonicNanos();
    }

    // At the controller.

    Reply<HeartbeatAnswer> heard(int broker, long epoch, boolean wantsToStop, Mailbox home) {
        Office present = driver.office();
        // Also while the store cannot be reached: it will be, and then it counts who lives.
        if (present != null && present.liveness().heard(broker, epoch, now())) {
            LOG.info("Broker {} is heard of again", broker);
            present.lifeChanged();
            driver.act();
        }
        if (present == null || driver.activeOffice() != present) {
            return Reply.of(HeartbeatAnswer.NOT_CONTROLLER);
        }
        ClusterView seen = driver.seen();
        if (epoch < seen.brokerEpoch(broker)) {
            return Reply.of(HeartbeatAnswer.STALE);
        }
        boolean live = seen.isLive(broker) && seen.brokerEpoch(broker) == epoch;
        if (!wantsToStop || !live) {
            return Reply.of(new HeartbeatAnswer(true, true, !live, wantsToStop));
        }
        present.wantsToStop(broker, epoch);
        StopRequest request = new StopRequest(broker, home);
        present.submit(request);
        driver.act();
        return request.reply();
    }

    void connectionLost(int broker) {
        Office present = driver.office();
        if (present != null) {
            present.liveness().suspect(broker, now());
            driver.act();
        }
    }

    // At the others.

    /// Whoever is not part of the cluster yet leaves it to the others to miss an answer.
    void asked(int controller) {
        if (driver.isJoined()) {
            claiming.asked(controller, now());
            driver.act();
        }
    }

    /// @param askedAt when the sign of life went out that this answers
    void answered(int controller, boolean keepsItsPlace, long askedAt) {
        claiming.answered(controller, now());
        if (controller == self) {
            confirmOwnOffice();
        } else if (keepsItsPlace && standing.isCertain()) {
            standing.confirmed(askedAt);
        } else if (keepsItsPlace) {
            readPlans(askedAt);
        }
    }

    /// It lives, by the controller, and may have lost what it led all the same: what the store tells may not have come yet.
    private void readPlans(long askedAt) {
        if (confirming) {
            return;
        }
        confirming = true;
        reader.read(
                TopicPlanner.TOPICS_PATH,
                nodes -> {
                    confirming = false;
                    driver.learned(nodes);
                    standing.confirmed(askedAt);
                });
    }

    /// Whom the store names as the controller says that it is not: it may have lost the store only, like everybody, and then nobody can have been replaced.
    void declined(int controller, long askedAt) {
        claiming.declined(controller);
        if (controller == self) {
            confirmOwnOffice();
        } else {
            standing.prolonged(askedAt);
        }
    }

    void lost(int controller) {
        claiming.lost(controller, now());
        driver.act();
    }

    /// A controller has nobody above it but the store. While it is awake it answers the others, which do not claim its office then; they count from their last answer, which may be an interval older than this moment.
    /// Once it was asleep for too long only the store knows whether they have.
    private void confirmOwnOffice() {
        Office present = driver.office();
        if (present == null) {
            return;
        }
        long now = now();
        if (!standing.isCertain()) {
            askStore(present, now);
        } else if (driver.activeOffice() == present || !present.liveness().isAlone(now)) {
            standing.prolonged(now - settings.heartbeatInterval().toNanos());
        }
    }

    private void askStore(Office present, long askedAt) {
        if (confirming) {
            return;
        }
        confirming = true;
        reader.read(
                ClusterMetadata.EPOCH,
                nodes -> {
                    confirming = false;
                    Node epoch = nodes.get(ClusterMetadata.EPOCH);
                    if (driver.office() == present
                            && epoch != null
                            && epoch.version() == present.epoch()) {
                        standing.confirmed(askedAt);
                    }
                });
    }
}
