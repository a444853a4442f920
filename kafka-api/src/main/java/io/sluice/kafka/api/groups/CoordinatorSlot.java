package io.sluice.kafka.api.groups;

import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.Outcome;
import io.sluice.coordinator.Unavailability;
import io.sluice.coordinator.groups.GroupChange;
import io.sluice.coordinator.groups.GroupCommand;
import io.sluice.coordinator.groups.GroupReply;
import io.sluice.env.Clock;
import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One partition's place for a coordinator: opened by the first command, opened anew after a failure. Owned by the partition's shard.
///
/// ```
///            first command            log is open
///   VACANT ────────────────▶ OPENING ─────────────▶ OCCUPIED
///     ▲  ▲                      │ cannot be opened      │ the coordinator has closed
///     │  └──────────────────────┘                       │
///     └─────────────────────────────────────────────────┘
/// ```
final class CoordinatorSlot {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorSlot.class);

    /// Commands that wait while the log is being opened; beyond it they are told to come again.
    private static final int WAITING_MAX = 10_000;

    /// After a failure nothing is tried for so long: a damaged log must not be read again for every request.
    private static final Duration REST = Duration.ofSeconds(1);

    private final Supplier<Reply<OffsetsTopic.Opening>> door;
    private final Function<
                    OffsetsTopic.Opening.Ready,
                    Coordinator<GroupCommand<?>, GroupChange, GroupReply>>
            starter;
    private final BooleanSupplier certain;
    private final Clock clock;
    private final Mailbox owner;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private @Nullable Coordinator<GroupCommand<?>, GroupChange, GroupReply> coordinator;
    private boolean isOpening;
    private boolean isRefusing;
    private @Nullable Unavailability failure;
    private long restsUntilNanos;

    CoordinatorSlot(
            Supplier<Reply<OffsetsTopic.Opening>> door,
            Function<
                            OffsetsTopic.Opening.Ready,
                            Coordinator<GroupCommand<?>, GroupChange, GroupReply>>
                    starter,
            BooleanSupplier certain,
            Clock clock,
            Mailbox owner) {
        this.owner = owner;
        this.door = door;
        this.starter = starter;
        this.certain = certain;
        this.clock = clock;
    }

    /// Also what has waited is asked anew whether it still is for this broker: it may have been stopped meanwhile.
    Reply<Outcome<GroupReply>> submit(GroupCommand<?> command) {
        if (!certain.getAsBoolean()) {
            return Reply.of(Outcome.unavailable(Unavailability.NOT_LEADER));
        }
        Coordinator<GroupCommand<?>, GroupChange, GroupReply> current = coordinator;
        if (current != null) {
            return current.submit(command);
        }
        Unavailability refusal = refusal();
        if (refusal != null) {
            return Reply.of(Outcome.unavailable(refusal));
        }
        Reply<Outcome<GroupReply>> reply = new Reply<>();
        // A bug in one command must not keep those behind it from being submitted.
        waiting.add(
                () ->
                        Crossing.ask(
                                        owner,
                                        owner,
                                        "A command that has waited for its groups",
                                        () -> submit(command))
                                .then(reply::complete, reply::fail));
        open();
        return reply;
    }

    /// Loads the groups before anybody asks, so that their offsets can expire.
    void open() {
        if (isOpening || coordinator != null || refusal() != null) {
            return;
        }
        isOpening = true;
        Crossing.ask(owner, owner, "Opening the log of groups", door)
                .then(this::opened, _ -> vacate(Unavailability.LOG_OFFLINE));
    }

    private @Nullable Unavailability refusal() {
        if (isOpening && waiting.size() >= WAITING_MAX) {
            return Unavailability.LOADING;
        }
        return isRefusing || clock.monotonicNanos() < restsUntilNanos ? failure : null;
    }

    private void opened(OffsetsTopic.Opening opening) {
        switch (opening) {
            case OffsetsTopic.Opening.Failed(Unavailability cause) -> vacate(cause);
            case OffsetsTopic.Opening.Ready ready -> {
                try {
                    start(ready);
                } catch (RuntimeException bug) {
                    LOG.error("A group coordinator cannot start: please report this", bug);
                    vacate(Unavailability.LOG_OFFLINE);
                }
            }
        }
    }

    private void start(OffsetsTopic.Opening.Ready ready) {
        isOpening = false;
        Coordinator<GroupCommand<?>, GroupChange, GroupReply> started = starter.apply(ready);
        coordinator = started;
        started.closed().whenDone(why -> vacate(why.value()));
        resume();
    }

    /// The term of leadership is over.
    void resign() {
        Coordinator<GroupCommand<?>, GroupChange, GroupReply> current = coordinator;
        if (current != null) {
            current.close(Unavailability.NOT_LEADER);
        }
    }

    /// Whoever does not lead may do so a moment later; everything else is worth a rest.
    private void vacate(Unavailability cause) {
        coordinator = null;
        isOpening = false;
        failure = cause;
        if (cause == Unavailability.NOT_LEADER) {
            refuseWaiting();
        } else {
            restsUntilNanos = clock.monotonicNanos() + REST.toNanos();
            resume();
        }
    }

    /// Not again by way of [#submit], which would open the log once more.
    private void refuseWaiting() {
        boolean refusing = isRefusing;
        isRefusing = true;
        resume();
        isRefusing = refusing;
    }

    private void resume() {
        int count = waiting.size();
        for (int i = 0; i < count; i++) {
            Runnable next = waiting.poll();
            if (next != null) {
                next.run();
            }
        }
    }
}
