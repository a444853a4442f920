package io.sluice.coordinator;

import io.sluice.coordinator.CoordinatorLog.Append;
import io.sluice.coordinator.CoordinatorLog.Position;
import io.sluice.env.Clock;
import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs one machine on one partition: decide, append, apply, answer when committed.
///
/// ```
///            start            replayed                 batch lost, leadership lost, stop
///  created ────────▶ LOADING ───────────▶ RUNNING ─────────────────────────────────────▶ CLOSED
///                       └───────────── log unreadable ───────────────────────────────────▶
/// ```
/// - A *refused* append (no room, not leader) costs nothing: `decide` has changed nothing, and `apply` comes after acceptance.
///   There is no snapshot and no undo.
/// - An *accepted* batch that is lost later (leader change, failed fsync) may have been built upon by every command since. The whole
///   coordinator closes, everyone waiting is told, and a new one replays the log: recovery is the same code as starting.
///
/// Owned by the shard of its partition.
public final class Coordinator<C, E, R> {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);

    /// Alarms handled in one turn, so that a thousand groups timing out together do not hold up the shard.
    private static final int ALARMS_PER_TURN = 32;

    private enum Stage {
        LOADING,
        RUNNING,
        CLOSED
    }

    private record Delayed<C, R>(C command, Reply<Outcome<R>> reply) {}

    private final String name;
    private final String decisionSentence;
    private final String changeSentence;
    private final CoordinatorLog log;
    private final Machine<C, E, R> machine;
    private final ChangeFormat<E> format;
    private final Clock clock;
    private final BooleanSupplier dateIsTrusted;
    private final Mailbox home;
    private final CoordinatorLimits limits;
    private final Waiting<R> waiting = new Waiting<>();
    private final ArrayDeque<Delayed<C, R>> delayed = new ArrayDeque<>();
    private final Reply<Unavailability> closed = new Reply<>();
    private Stage stage = Stage.LOADING;
    private Unavailability closedFor = Unavailability.STOPPING;
    private Mailbox.@Nullable Timer timer;
    private long timerNanos = Long.MAX_VALUE;
    private long pausedUntilNanos = Long.MIN_VALUE;

    private Coordinator(Parts<C, E, R> parts) {
        this.name = parts.name();
        this.decisionSentence = "A decision of the " + name;
        this.changeSentence = "A change of the " + name;
        this.log = parts.log();
        this.machine = parts.machine();
        this.format = parts.format();
        this.clock = parts.clock();
        this.dateIsTrusted = parts.dateIsTrusted();
        this.home = parts.home();
        this.limits = parts.limits();
    }

    /// What a coordinator is put together from.
    ///
    /// @param name of the partition, for messages
    /// @param machine fresh: the replay fills it
    /// @param dateIsTrusted whether what the clock gives for the date may decide that something is old
    public record Parts<C, E, R>(
            String name,
            CoordinatorLog log,
            Machine<C, E, R> machine,
            ChangeFormat<E> format,
            Clock clock,
            BooleanSupplier dateIsTrusted,
            Mailbox home,
            CoordinatorLimits limits) {}

    /// Begins to replay the log. Commands are taken at once and wait for it.
    public static <C, E, R> Coordinator<C, E, R> start(Parts<C, E, R> parts) {
        Coordinator<C, E, R> coordinator = new Coordinator<>(parts);
        coordinator.load();
        coordinator.watchLoss();
        return coordinator;
    }

    /// Also while it waits for nothing: it must not answer from memory what another decides.
    private void watchLoss() {
        CoordinatorLog.Watch watch = log.onLoss(() -> close(Unavailability.NOT_LEADER));
        closed.whenDone(_ -> watch.cancel());
    }

    /// Completes on the shard's thread, possibly much later: some commands wait for others.
    public Reply<Outcome<R>> submit(C command) {
        Reply<Outcome<R>> reply = new Reply<>();
        if (stage == Stage.CLOSED) {
            reply.complete(Outcome.unavailable(closedFor));
        } else if (waiting.size() + delayed.size() >= limits.waitingMax()) {
            reply.complete(
                    Outcome.unavailable(
                            stage == Stage.LOADING ? Unavailability.LOADING : Unavailability.BUSY));
        } else if (stage == Stage.LOADING) {
            delayed.add(new Delayed<>(command, reply));
        } else {
            run(command, reply);
            arm();
        }
        return reply;
    }

    /// Leadership is lost, or the broker stops. Everyone waiting is told; nothing is written any more.
    public void close(Unavailability cause) {
        if (stage == Stage.CLOSED) {
            return;
        }
        stage = Stage.CLOSED;
        closedFor = cause;
        disarm();
        for (Delayed<C, R> one : delayed) {
            one.reply().complete(Outcome.unavailable(cause));
        }
        delayed.clear();
        waiting.refuseAll(cause);
        closed.complete(cause);
    }

    /// Completes when this coordinator is of no use any more, with the reason.
    public Reply<Unavailability> closed() {
        return closed;
    }

    private Moment now() {
        return Moment.of(clock, dateIsTrusted.getAsBoolean());
    }

    private void load() {
        long from = clock.monotonicNanos();
        Crossing.land(
                new Replay<>(log, machine, format, home, () -> stage == Stage.CLOSED).start(),
                home,
                "Loading the " + name,
                records -> loaded(records, from),
                this::unreadable);
    }

    private void loaded(long records, long fromNanos) {
        LOG.info(
                "{}: replayed {} records in {} ms",
                name,
                records,
                Duration.ofNanos(clock.monotonicNanos() - fromNanos).toMillis());
        stage = Stage.RUNNING;
        carryOut(machine.recovered(now()), null);
        while (stage == Stage.RUNNING) {
            Delayed<C, R> next = delayed.poll();
            if (next == null) {
                break;
            }
            run(next.command(), next.reply());
        }
        arm();
    }

    private void unreadable(Throwable failure) {
        LOG.error("{}: the log cannot be replayed", name, failure);
        close(Unavailability.LOG_OFFLINE);
    }

    /// A bug in the decision ends this command only: nothing has changed. One behind it leaves a machine that nobody knows, and the log is replayed.
    private void run(C command, Reply<Outcome<R>> reply) {
        Ticket ticket = waiting.admit(reply);
        Crossing.step(
                home,
                decisionSentence,
                () -> decided(machine.decide(command, ticket, now()), ticket),
                bug -> waiting.fail(ticket, bug));
    }

    private void decided(Decision<E, R> decision, Ticket ticket) {
        Crossing.step(
                home,
                changeSentence,
                () -> {
                    Unavailability refusal = carryOut(decision, ticket);
                    if (refusal != null) {
                        waiting.refuse(ticket, refusal);
                    }
                },
                _ -> close(Unavailability.LOG_OFFLINE));
    }

    /// Null when done; otherwise why nothing was. `answers` and `apply` happen only behind an accepted append.
    private @Nullable Unavailability carryOut(Decision<E, R> decision, @Nullable Ticket ticket) {
        ByteBuffer batch = encode(decision);
        Append.@Nullable Accepted accepted = null;
        if (batch != null) {
            if (batch.remaining() > limits.batchBytesMax()) {
                return Unavailability.TOO_LARGE;
            }
            switch (log.append(batch)) {
                case Append.Refused(Unavailability cause) -> {
                    LOG.debug("{}: the log refused {}: {}", name, ticket, cause);
                    return cause;
                }
                case Append.Accepted taken -> accepted = taken;
            }
            waiting.accepted(accepted.position());
        }
        for (E change : decision.changes()) {
            machine.apply(change);
        }
        for (String note : decision.notes()) {
            LOG.info("{}: {}", name, note);
        }
        for (Decision.Answer<R> answer : decision.answers()) {
            waiting.answer(answer);
        }
        if (accepted != null) {
            accepted.committed().then(this::committed, this::lost);
        }
        return null;
    }

    private @Nullable ByteBuffer encode(Decision<E, R> decision) {
        long wallMillis = clock.wallMillis();
        BatchBuilder batch = new BatchBuilder();
        for (E change : decision.changes()) {
            LogRecord record = format.encode(change, wallMillis);
            if (record != null) {
                batch.add(record);
            }
        }
        return batch.isEmpty() ? null : batch.build();
    }

    private void committed(Position position) {
        if (stage == Stage.RUNNING && !waiting.committed(position)) {
            LOG.warn("{}: committed under another leader epoch: {}", name, position);
            close(Unavailability.NOT_LEADER);
        }
    }

    private void lost(Throwable failure) {
        if (stage == Stage.RUNNING) {
            // Mostly another leader: nothing that a stack would explain.
            LOG.warn(
                    "{}: an accepted batch may be lost; the log is replayed: {}",
                    name,
                    "" + failure);
            close(Unavailability.LOG_OFFLINE);
        }
    }

    private void wake() {
        timer = null;
        timerNanos = Long.MAX_VALUE;
        try {
            ringAlarms();
        } catch (RuntimeException | Error bug) {
            // Still due: without a pause this would spin.
            pausedUntilNanos = now().after(limits.retryPause());
            throw bug;
        } finally {
            arm(); // A bug must not end all time-outs.
        }
    }

    private void ringAlarms() {
        for (int turn = 0; turn < ALARMS_PER_TURN && stage == Stage.RUNNING; turn++) {
            Moment now = now();
            if (!now.hasReached(machine.nextAlarmNanos())) {
                break;
            }
            Unavailability refusal = carryOut(machine.wake(now), null);
            if (refusal != null) {
                // Still due, but the log is full: without a pause this would spin.
                pausedUntilNanos = now.after(limits.retryPause());
                break;
            }
        }
    }

    /// One timer for the machine's next alarm. One that is set too early is left: it wakes for nothing, and is set again.
    private void arm() {
        if (stage != Stage.RUNNING) {
            return;
        }
        long alarm = machine.nextAlarmNanos();
        if (alarm == Long.MAX_VALUE) {
            disarm();
            return;
        }
        long due = Math.max(alarm, pausedUntilNanos);
        if (timer != null && timerNanos <= due) {
            return;
        }
        disarm();
        timerNanos = due;
        Duration delay = Duration.ofNanos(Math.max(0, due - clock.monotonicNanos()));
        timer = home.schedule(delay, this::wake);
    }

    private void disarm() {
        if (timer != null) {
            timer.cancel();
            timer = null;
            timerNanos = Long.MAX_VALUE;
        }
    }
}
