package io.sluice.replication;

import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.controller.HeartbeatAnswer;
import io.sluice.controller.SignOfLife;
import io.sluice.env.Clock;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ApiResponse;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.BrokerHeartbeatRequest;
import io.sluice.kafka.wire.message.BrokerHeartbeatResponse;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the controller again and again that this broker lives, over a connection of its own; its break is a sign, too.
///
/// ```
///   every interval ──▶ sign of life ──▶ answered: the controller lives
///                                   └─▶ connection broke, no answer: the controller may be gone
/// ```
/// When the broker wants to stop it says so, and goes on until the controller has handed over what it leads. Owned by the controller's mailbox.
public final class Heartbeats {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);
    private static final short VERSION = 1;

    /// A metadata offset that says that there is none: this broker cannot reach the store.
    private static final long WITHOUT_STORE = -1;

    /// While this broker waits to be let go.
    private static final Duration IMPATIENT = Duration.ofMillis(50);

    /// Handing over takes a commit, and several where there are many partitions.
    private static final Duration HAND_OVER_TIMEOUT = Duration.ofSeconds(15);

    /// A broker that wants to stop and finds no controller for so long stops as it is.
    private static final Duration WITHOUT_CONTROLLER = Duration.ofSeconds(6);

    private final Controller controller;
    private final Peers peers;
    private final Setup setup;
    private final Mailbox owner;
    private boolean asking;
    private boolean closed;
    private int known = ClusterView.NOBODY;
    private int knownEpoch = -1;
    private int turn;
    private Mailbox.@Nullable Timer timer;
    private @Nullable Reply<Boolean> leaving;
    private boolean heardSinceLeaving;

    /// What does not change. Immutable.
    ///
    /// @param timeout after which an answer is not waited for any more
    /// @param diskFull whether this broker's data disk has no room, asked with every sign of life on the owner's thread
    public record Setup(
            int self,
            Duration interval,
            Duration timeout,
            BooleanSupplier diskFull,
            Clock clock,
            ReplicationCounters counters) {}

    public Heartbeats(Controller controller, Peers peers, Setup setup, Mailbox owner) {
        this.controller = controller;
        this.peers = peers;
        this.setup = setup;
        this.owner = owner;
    }

    /// On the owner's thread, when this broker is registered.
    public void start() {
        controller.onChange((_, after) -> viewChanged(after));
        beat();
    }

    /// A new controller hears of this broker at once, whoever still owes an answer.
    private void viewChanged(ClusterView view) {
        if (view.controllerId() != known || view.controllerEpoch() != knownEpoch) {
            known = view.controllerId();
            knownEpoch = view.controllerEpoch();
            turn++;
            asking = false;
            beat();
        }
    }

    /// Asks to be let go. Completes on the owner's thread: true when the controller has handed everything over, false when the time is up.
    public Reply<Boolean> leave(Duration limit) {
        Reply<Boolean> done = new Reply<>();
        leaving = done;
        heardSinceLeaving = false;
        owner.schedule(limit, () -> left(false));
        owner.schedule(
                WITHOUT_CONTROLLER,
                () -> {
                    if (!heardSinceLeaving) {
                        left(false); // Nobody is there to hand over to: the others stop as well.
                    }
                });
        beat();
        return done;
    }

    private void left(boolean handedOver) {
        Reply<Boolean> waiting = leaving;
        if (waiting != null && !waiting.isDone()) {
            waiting.complete(handedOver);
        }
    }

    public void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
        peers.close();
    }

    private void beat() {
        if (timer != null) {
            timer.cancel();
        }
        if (closed) {
            return;
        }
        timer = owner.schedule(leaving == null ? setup.interval() : IMPATIENT, this::beat);
        if (asking) {
            return; // The last one is on its way still; its time-out will tell.
        }
        ClusterView view = controller.registered();
        long epoch = view.brokerEpoch(setup.self());
        int active = view.controllerId();
        if (epoch < 0 || active == ClusterView.NOBODY) {
            setup.counters().heartbeatsFailed.increment();
            return; // Not registered, or nobody to tell: the controller's driver sees to both.
        }
        asking = true;
        setup.counters().heartbeats.increment();
        if (active != setup.self()) {
            controller.controllerAsked(active);
        }
        int asked = turn;
        long askedAt = setup.clock().monotonicNanos();
        ask(active, epoch)
                .then(
                        answer -> {
                            if (asked == turn) {
                                answered(active, answer, askedAt);
                            }
                        },
                        failure -> {
                            if (asked == turn) {
                                failed(active, failure);
                            }
                        });
    }

    private Reply<HeartbeatAnswer> ask(int active, long epoch) {
        if (active == setup.self()) {
            return controller.heartbeat(
                    new SignOfLife(
                            setup.self(),
                            epoch,
                            leaving != null,
                            controller.reachesStore(),
                            setup.diskFull().getAsBoolean()),
                    owner);
        }
        return peers.ask(
                        active,
                        request(epoch),
                        VERSION,
                        leaving == null ? setup.timeout() : HAND_OVER_TIMEOUT)
                .map(Heartbeats::read);
    }

    /// Kafka's protocol has no word for a full disk. Its "wants to be fenced" is nearest: whoever says it should lead nothing. Nobody else here uses it, and brokers of a former version neither say nor hear it.
    private BrokerHeartbeatRequest request(long epoch) {
        return BrokerHeartbeatRequest.builder()
                .brokerId(setup.self())
                .brokerEpoch(epoch)
                .currentMetadataOffset(controller.reachesStore() ? 0 : WITHOUT_STORE)
                .wantFence(setup.diskFull().getAsBoolean())
                .wantShutDown(leaving != null)
                .build();
    }

    private static HeartbeatAnswer read(ApiResponse response) {
        BrokerHeartbeatResponse answer = (BrokerHeartbeatResponse) response;
        ErrorCode error = ErrorCode.find(answer.errorCode());
        return new HeartbeatAnswer(
                error != ErrorCode.NOT_CONTROLLER,
                error == ErrorCode.NONE,
                answer.isFenced(),
                answer.shouldShutDown());
    }

    private void answered(int from, HeartbeatAnswer answer, long askedAt) {
        asking = false;
        controller.controllerAnswered(from, answer, askedAt);
        if (!answer.active()) {
            setup.counters().heartbeatsFailed.increment();
            return; // The view will say who is.
        }
        heardSinceLeaving = true;
        if (!answer.known()) {
            LOG.info(
                    "The controller, broker {}, knows a newer registration of this broker, or none",
                    from);
        }
        if (answer.mayStop()) {
            left(true);
        }
    }

    private void failed(int active, Throwable failure) {
        asking = false;
        setup.counters().heartbeatsFailed.increment();
        LOG.debug("No answer to a heartbeat from broker {}: {}", active, failure.getMessage());
    }
}
