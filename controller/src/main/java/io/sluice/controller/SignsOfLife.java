package io.sluice.controller;

import io.sluice.env.Coordination.Node;
import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What brokers tell each other of being alive, as one of them hears it: the signs of life of all, while it is the controller; the controller's answers to its own, which also [confirm][Standing] its place.
///
/// Owned by the controller's mailbox.
final class SignsOfLife {
    private static final Logger LOG = LoggerFactory.getLogger(SignsOfLife.class);

    private final ControllerDriver driver;
    private final ControllerDoors doors;
    private final long timeout;
    private final int self;
    private final Claiming claiming;
    private final Standing standing;
    private final Outage outage = new Outage();
    private boolean asking;
    private long askingSince;

    SignsOfLife(
            ControllerDriver driver,
            ControllerDoors doors,
            ControllerSettings settings,
            int self,
            Claiming claiming,
            Standing standing) {
        this.driver = driver;
        this.doors = doors;
        this.timeout = settings.heartbeatTimeout().toNanos();
        this.self = self;
        this.claiming = claiming;
        this.standing = standing;
    }

    private long now() {
        return doors.clock().monotonicNanos();
    }

    // At the controller.

    Reply<HeartbeatAnswer> heard(SignOfLife sign, Mailbox home) {
        int broker = sign.broker();
        Office present = driver.office();
        ClusterView seen = driver.seen();
        boolean isPresentLife = seen.brokerEpoch(broker) == sign.epoch();
        // One that has registered without this broker's knowledge reaches the store.
        outage.heard(broker, sign.reachesStore() || !isPresentLife, now());
        // Also while the store cannot be reached: it will be, and then it counts who lives.
        if (present != null && present.liveness().heard(broker, sign.epoch(), now())) {
            LOG.info("Broker {} is heard of again", broker);
            present.lifeChanged();
            driver.act();
        }
        boolean live = seen.isLive(broker) && isPresentLife;
        if (present != null && live && present.heardOfDisk(sign, seen, now())) {
            driver.act();
        }
        if (present == null || driver.activeOffice() != present) {
            return Reply.of(
                    present != null && live && isOutageShared()
                            ? HeartbeatAnswer.WITHOUT_STORE
                            : HeartbeatAnswer.NOT_CONTROLLER);
        }
        if (sign.epoch() < seen.brokerEpoch(broker)) {
            return Reply.of(HeartbeatAnswer.STALE);
        }
        if (!sign.wantsToStop() || !live) {
            return Reply.of(new HeartbeatAnswer(true, true, !live, sign.wantsToStop()));
        }
        present.wantsToStop(broker, sign.epoch());
        StopRequest request = new StopRequest(broker, home);
        present.submit(request);
        driver.act();
        return request.reply();
    }

    private OptionalLong outageSharedAt() {
        return outage.sharedAt(
                driver.seen().brokersAndMembers().registered().keySet(), self, now());
    }

    private boolean isOutageShared() {
        OptionalLong shared = outageSharedAt();
        return shared.isPresent() && now() - shared.getAsLong() < timeout;
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
    void answered(int controller, HeartbeatAnswer answer, long askedAt) {
        if (answer.active()) {
            claiming.answered(controller, now());
        } else {
            claiming.declined(controller);
        }
        if (controller == self) {
            confirmOwnOffice();
        } else if (!answer.active()) {
            declined(answer, askedAt);
        } else if (!answer.keepsItsPlace()) {
            standing.withdrawn();
        } else if (driver.reachesStore()) {
            keepsItsPlace(askedAt);
        }
    }

    /// Whom the store names as the controller says that it is not: it may have lost the store only, like everybody, and then nobody can have been replaced. One that knows of nothing vouches for nothing.
    private void declined(HeartbeatAnswer answer, long askedAt) {
        if (answer.keepsItsPlace()) {
            standing.prolonged(askedAt);
        }
    }

    /// Only for one that would hear from the store what it has lost.
    private void keepsItsPlace(long askedAt) {
        if (standing.isCertain()) {
            standing.confirmed(askedAt);
        } else if (!driver.isReplaced()) {
            readPlans(askedAt);
        }
    }

    /// It lives, by the controller, and may have lost what it led all the same: what the store tells may not have come yet.
    private void readPlans(long askedAt) {
        askStore(
                TopicPlanner.TOPICS_PATH,
                nodes -> {
                    driver.learned(nodes);
                    confirm(askedAt);
                });
    }

    void lost(int controller) {
        claiming.lost(controller, now());
        driver.act();
    }

    /// A controller has nobody above it but the store, and asks it every time. While it cannot, the others know as well: whoever had taken the office would not take this broker for the controller.
    private void confirmOwnOffice() {
        Office present = driver.office();
        if (present == null) {
            return;
        }
        long now = now();
        if (driver.activeOffice() != present) {
            outageSharedAt().ifPresent(this::confirm);
            return;
        }
        askStore(
                ClusterMetadata.EPOCH,
                nodes -> {
                    Node epoch = nodes.get(ClusterMetadata.EPOCH);
                    if (driver.office() == present
                            && epoch != null
                            && epoch.version() == present.epoch()) {
                        confirm(now);
                    }
                });
    }

    /// One question at a time; what is not answered is asked again with a later sign of life.
    private void askStore(String path, Consumer<SortedMap<String, Node>> then) {
        if (asking && now() - askingSince < timeout) {
            return;
        }
        asking = true;
        askingSince = now();
        doors.store()
                .load(doors.owner(), path)
                .then(
                        nodes -> {
                            asking = false;
                            then.accept(nodes);
                        },
                        failure -> {
                            asking = false;
                            LOG.debug("{} cannot be read: {}", path, failure.getMessage());
                        });
    }

    /// A doubt ends only when all owners of partitions have taken in the plan as it is known here: what has waited there for an answer must not get one from before.
    private void confirm(long moment) {
        if (driver.isReplaced()) {
            return; // Said of an earlier life, or of who has its place.
        }
        if (standing.isCertain()) {
            standing.confirmed(moment);
            return;
        }
        List<Reply<Boolean>> heard = new ArrayList<>();
        for (Mailbox shard : doors.shards()) {
            heard.add(
                    Crossing.ask(shard, doors.owner(), "Taking in the plan", () -> Reply.of(true)));
        }
        Reply.all(heard)
                .then(
                        _ -> {
                            if (!driver.isReplaced()) {
                                standing.confirmed(moment);
                            }
                        },
                        failure -> LOG.error("A shard has not heard of the plan", failure));
    }
}
