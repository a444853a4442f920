package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A broker's part in the cluster: every broker has one, exactly one of them is active and decides; all publish the plan that they see.
///
/// What is asked of one that is not active is refused with the id of the one that is. Owned by its mailbox; all public methods but [#start], [#onChange] and [#finishDeletions] are thread-safe.
public final class Controller {
    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

    private final ControllerDoors doors;
    private final TopicPlanner planner;
    private final TopicData data;
    private final ControllerSettings settings;
    private final Standing standing;
    private final List<BiConsumer<ClusterView, ClusterView>> listeners = new ArrayList<>();
    private final ControllerCounters counters = new ControllerCounters();
    private volatile @Nullable ControllerDriver driver;
    private @Nullable Retirements retirements;
    private boolean deletionsWanted;

    /// Published by the owner after a change is durable; read by every thread without a lock.
    private volatile ClusterView view = ClusterView.empty();

    private volatile ClusterView registered = ClusterView.empty();
    private volatile long ownEpoch = -1;
    private volatile boolean replaced;
    private volatile boolean active;

    /// Completed on the owner's thread.
    private final Reply<String> removed = new Reply<>();

    public Controller(
            ControllerDoors doors,
            TopicPlanner planner,
            TopicData data,
            ControllerSettings settings) {
        this.doors = doors;
        this.planner = planner;
        this.data = data;
        this.settings = settings;
        this.standing =
                new Standing(doors.clock(), settings.heartbeatTimeout(), doors.store().isShared());
    }

    /// Joins the cluster; completes on the owner's thread when this broker is part of it and sees the plan. Fails with [CannotJoin]. Called once, on the owner's thread.
    public Reply<ClusterView> start(Registration registration) {
        ControllerDriver started =
                new ControllerDriver(
                        doors,
                        settings,
                        planner,
                        registration,
                        new ControllerDriver.Audience(
                                seen -> {
                                    registered = seen;
                                    ownEpoch = seen.brokerEpoch(registration.id());
                                },
                                this::publish,
                                taken -> replaced = taken,
                                this::removed,
                                acts -> active = acts,
                                standing,
                                counters));
        driver = started;
        Retirements own =
                new Retirements(
                        doors.store(),
                        doors.owner(),
                        data,
                        registration.id(),
                        new RetirementNews(started));
        retirements = own;
        return started.start().map(_ -> view);
    }

    /// Removes data of topics that were deleted while this broker was not there. On the owner's thread, when the broker can do what that takes.
    public void finishDeletions() {
        deletionsWanted = true;
        Retirements own = retirements;
        if (own != null && driver != null && driver.isJoined()) {
            own.enable();
        }
    }

    public ClusterView view() {
        return view;
    }

    /// What the store says while this life of this broker is registered there, also before it is part of the cluster; otherwise the empty view. For signs of life, which must not be
    /// sent in the name of an earlier life.
    public ClusterView registered() {
        return registered;
    }

    /// The broker epoch of this process, or -1 while it is not registered. Everything that it says to other brokers carries this one: the epoch of its id in the [#view] may be that of
    /// another process, which has taken its place.
    public long ownEpoch() {
        return ownEpoch;
    }

    /// Another process has this broker's id: what the plan says of that is not about this one, which neither leads nor follows.
    public boolean isReplaced() {
        return replaced;
    }

    /// Completes, on the owner's thread and with a sentence for people, when this broker was part of the cluster and cannot be any more. Called there.
    public Reply<String> removed() {
        return removed;
    }

    private void removed(String sentence) {
        if (!removed.isDone()) {
            LOG.error("This broker is not part of the cluster any more: {}", sentence);
            removed.complete(sentence);
        }
    }

    /// Called on the owner's thread with the view before and after each change.
    public void onChange(BiConsumer<ClusterView, ClusterView> listener) {
        listeners.add(listener);
    }

    public ControllerCounters counters() {
        return counters;
    }

    /// Whether this broker can take for granted what the plan last said of it. Thread-safe.
    public Standing standing() {
        return standing;
    }

    /// This broker reaches the metadata store, and its controller answers it: what has to be decided for it can be. As far as it has noticed; a controller that falls silent is noticed after the time-out.
    ///
    /// Without a majority of the store's members the plan goes on to name a controller, since nobody can write that it is gone.
    public boolean isDirected() {
        return view.controllerId() != ClusterView.NOBODY && reachesStore() && standing.isCertain();
    }

    /// As far as it has noticed.
    public boolean reachesStore() {
        ControllerDriver present = driver;
        return present != null && present.reachesStore();
    }

    /// This broker is the controller, and acts.
    public boolean isActive() {
        return active;
    }

    private void publish(ClusterView all) {
        Retirements own = retirements;
        ClusterView before = view;
        ClusterView after = own == null ? all : own.visible(all);
        view = after;
        for (BiConsumer<ClusterView, ClusterView> listener : listeners) {
            try {
                listener.accept(before, after);
            } catch (RuntimeException bug) {
                LOG.error("A change of the plan met a bug: please report it", bug);
            }
        }
        if (own != null && !replaced) {
            own.look(all);
            if (deletionsWanted) {
                own.enable();
            }
        }
    }

    /// The reply completes on the home mailbox when the change is durable and published here; a deletion also when the data is out of the way on every live broker.
    public Reply<TopicOutcome> execute(TopicCommand command, boolean validateOnly, Mailbox home) {
        TopicRequest request =
                new TopicRequest(planner, command, validateOnly, doors.entropy().nextUuid(), home);
        submit(request);
        return request.reply();
    }

    public Reply<BrokerOutcome> execute(BrokerCommand command, Mailbox home) {
        BrokerRequest request = new BrokerRequest(command, home);
        submit(request);
        return request.reply();
    }

    /// Other in-sync sets, asked for by the leader of the partitions, or by a replica that must not be in them; one answer for each, in their order.
    public Reply<List<InSyncAnswer>> alterInSync(
            int broker, long brokerEpoch, List<InSyncChange> changes, Mailbox home) {
        InSyncRequest request = new InSyncRequest(broker, brokerEpoch, changes, home);
        submit(request);
        return request.reply();
    }

    /// Begins moves of replicas, or takes them back; one answer for each, in their order.
    public Reply<List<PartitionAnswer>> reassign(List<MoveRequest> requests, Mailbox home) {
        MovesRequest request = new MovesRequest(requests, home);
        submit(request);
        return request.reply();
    }

    /// How many bytes per second each broker may copy for moves from now on.
    ///
    /// @param bytesPerSecond 0 for no limit, -1 for what each broker's own settings say
    public Reply<BrokerOutcome> limitMoves(long bytesPerSecond, Mailbox home) {
        MoveLimitRequest request = new MoveLimitRequest(bytesPerSecond, home);
        submit(request);
        return request.reply();
    }

    /// Moves that spread replicas and leaders evenly over the live brokers; they begin unless only a proposal is wanted. Fails where this broker is not the controller.
    public Reply<List<MoveRequest>> rebalance(boolean proposeOnly, Mailbox home) {
        MovesRequest.Rebalancing request = new MovesRequest.Rebalancing(proposeOnly, home);
        submit(request);
        return request.reply();
    }

    /// Other leaders for these partitions, or wherever it is needed.
    ///
    /// @param partitions null for all; then only those are answered whose leader has changed or cannot
    public Reply<List<PartitionAnswer>> electLeaders(
            ElectionKind kind, @Nullable List<PartitionId> partitions, Mailbox home) {
        ElectionRequest request = new ElectionRequest(kind, partitions, home);
        submit(request);
        return request.reply();
    }

    private void submit(Request request) {
        doors.owner()
                .run(
                        () -> {
                            ControllerDriver present = driver;
                            Office office = present == null ? null : present.activeOffice();
                            if (present == null || office == null) {
                                request.refuse(Reason.NOT_CONTROLLER, notController());
                            } else {
                                office.submit(request);
                                present.act();
                            }
                        });
    }

    private String notController() {
        int other = view.controllerId();
        return other == ClusterView.NOBODY
                ? "No broker is the controller at the moment; try again."
                : "Broker " + other + " is the controller; ask there.";
    }

    /// A sign of life of a broker, to the active controller.
    public Reply<HeartbeatAnswer> heartbeat(SignOfLife sign, Mailbox home) {
        return Crossing.ask(
                doors.owner(),
                home,
                "A sign of life of broker " + sign.broker(),
                () -> {
                    ControllerDriver present = driver;
                    return present == null
                            ? Reply.of(HeartbeatAnswer.NOT_CONTROLLER)
                            : present.signs().heard(sign, doors.owner());
                });
    }

    /// The connection on which a broker sends its signs of life has broken.
    public void connectionLost(int broker) {
        tell(signs -> signs.connectionLost(broker));
    }

    /// A sign of life of this broker goes out to the controller.
    public void controllerAsked(int controller) {
        tell(signs -> signs.asked(controller));
    }

    /// This broker's own sign of life was answered, by the controller or by whom the store names as such and who says that it is not.
    ///
    /// @param askedAt when it was sent, by the monotonic clock
    public void controllerAnswered(int controller, HeartbeatAnswer answer, long askedAt) {
        tell(signs -> signs.answered(controller, answer, askedAt));
    }

    /// This broker's connection to the controller broke, or could not be made.
    public void controllerLost(int controller) {
        tell(signs -> signs.lost(controller));
    }

    private void tell(Consumer<SignsOfLife> news) {
        doors.owner()
                .run(
                        () -> {
                            ControllerDriver present = driver;
                            if (present != null) {
                                news.accept(present.signs());
                            }
                        });
    }

    /// What this broker's removal of data means for its part in the cluster.
    private record RetirementNews(ControllerDriver driver) implements Retirements.News {
        @Override
        public void confirmed(List<Change> changes) {
            driver.committedElsewhere(changes);
        }

        @Override
        public void outdated(String path, Runnable then) {
            driver.refresh(path, then);
        }

        @Override
        public void failed(String topic) {
            Office office = driver.activeOffice();
            if (office != null) {
                office.deletions().failed(topic);
                driver.act();
            }
        }
    }
}
