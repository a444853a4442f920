package io.sluice.partition;

import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.PartitionLog;
import io.sluice.log.RepairAftermath;
import io.sluice.log.repair.Gap;
import io.sluice.log.repair.SegmentRepair;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Mends what is damaged in a replica's log with what another in-sync replica has.
///
/// ```
///   RESTING ── damage is known, others are in sync ──▶ survey ──▶ fetch ⇄ fill ──▶ finish, swap in ──▶ (next damaged segment)
///      ▲                                                            │ nobody has it
///      └──────────────────────── tried again later ─────────────────┘
/// ```
/// Only what is committed here and there is fetched, in the same leader's term; so it is what was there. Reads that meet the damage wait for the end of the
/// try. Without others the damage stays, refused and reported. Owned by its shard.
final class Healing {
    private static final Logger LOG = LoggerFactory.getLogger(Healing.class);
    private static final Duration TRY_AGAIN = Duration.ofSeconds(5);
    private static final int FETCH_BYTES = 1 << 20;

    private final OpenPartition open;
    private final PartitionLog log;
    private final PartitionId id;
    private final Errands errands;
    private final Housekeeping housekeeping;
    private final ShardCounters counters;
    private final List<Consumer<Boolean>> waiting = new ArrayList<>();
    private boolean trying;
    private boolean hasMended;
    private boolean hasFailed;
    private long failedNanos;
    private int known;

    Healing(OpenPartition open, Errands errands, Housekeeping housekeeping) {
        this.open = open;
        this.log = open.log();
        this.id = open.id();
        this.errands = errands;
        this.housekeeping = housekeeping;
        this.counters = open.doors().counters();
        // What recovery has found is counted there.
        this.known = log.damages().size();
        counters.damagesPresent.add(known);
    }

    private <T> Reply<T> work(Callable<T> job) {
        return errands.run(Workers.Kind.HOUSEKEEPING, job);
    }

    /// Something was checked, or time has passed: counts what is new, and mends what can be.
    void look() {
        if (count() > 0) {
            mend();
        }
    }

    private int count() {
        int now = log.damages().size();
        counters.damages.add(Math.max(0, now - known));
        counters.damagesPresent.add(now - known);
        known = now;
        return now;
    }

    /// The log is not used any more: what is wrong with it does not count.
    void end() {
        counters.damagesPresent.add(-known);
        known = 0;
        tried(false);
    }

    /// A read has met damage: told true, at once or later, when something was mended, so that it is worth another try.
    void whenTried(Consumer<Boolean> then) {
        look();
        if (trying) {
            waiting.add(then);
        } else {
            then.accept(false);
        }
    }

    private void tried(boolean mended) {
        List<Consumer<Boolean>> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(one -> one.accept(mended));
    }

    private void mend() {
        boolean patient =
                hasFailed
                        && open.doors().clock().monotonicNanos() - failedNanos
                                < TRY_AGAIN.toNanos();
        if (!trying && !patient && !open.isOver() && !sources().isEmpty()) {
            next();
        }
    }

    /// The leader first: it has everything.
    private List<Integer> sources() {
        Assignment plan = open.host().assignment();
        List<Integer> others = new ArrayList<>();
        for (int broker : plan.inSync()) {
            if (broker != plan.self() && open.doors().replication().brokers().of(broker) >= 0) {
                others.add(broker == plan.leader() ? 0 : others.size(), broker);
            }
        }
        return others;
    }

    /// The next damaged segment, or the end.
    private void next() {
        if (!trying && !housekeeping.beginRewriting()) {
            return; // A compaction is under way; the next look comes soon.
        }
        trying = true;
        SegmentRepair repair = open.isOver() ? null : log.beginRepair(open.role().highWatermark());
        if (repair == null) {
            open.requestFlush(); // A segment that was closed for this has yet to be sealed.
            rest();
            return;
        }
        work(() -> {
                    repair.prepare();
                    return repair;
                })
                .then(_ -> fill(repair, sources(), "there is none"), this::fail);
    }

    private void rest() {
        boolean mended = hasMended;
        trying = false;
        hasMended = false;
        housekeeping.endRewriting();
        tried(mended);
    }

    private void fill(SegmentRepair repair, List<Integer> from, String why) {
        Gap gap = repair.gap();
        if (open.isOver()) {
            rest(); // What was made is removed when the log is opened again.
        } else if (gap == null) {
            finish(repair);
        } else if (from.isEmpty()) {
            giveUp(repair, "No in-sync replica could help: " + why);
        } else {
            int source = from.getFirst();
            RepairFetch wanted =
                    new RepairFetch(
                            source,
                            id,
                            open.host().topicId(),
                            open.role().leaderEpoch(),
                            gap.fromOffset(),
                            FETCH_BYTES);
            open.doors()
                    .replication()
                    .repair()
                    .fetch(wanted, open.owner())
                    .flatMap(batches -> work(() -> Optional.ofNullable(repair.fill(batches))))
                    .then(
                            flaw -> {
                                if (flaw.isEmpty()) {
                                    fill(repair, from, why);
                                } else {
                                    fill(
                                            repair,
                                            others(from),
                                            "broker " + source + ": " + flaw.get());
                                }
                            },
                            failure ->
                                    fill(
                                            repair,
                                            others(from),
                                            "broker " + source + ": " + failure.getMessage()));
        }
    }

    private static List<Integer> others(List<Integer> sources) {
        return sources.subList(1, sources.size());
    }

    private void finish(SegmentRepair repair) {
        if (repair.bytesFilled() == 0) {
            complete(repair); // It could be read this time.
            return;
        }
        work(() -> Optional.ofNullable(repair.finish()))
                .then(
                        flaw -> {
                            if (flaw.isPresent()) {
                                giveUp(repair, "What others have does not fit: " + flaw.get());
                            } else {
                                complete(repair);
                            }
                        },
                        this::fail);
    }

    private void complete(SegmentRepair repair) {
        int before = log.damages().size();
        RepairAftermath aftermath;
        try {
            aftermath = log.completeRepair(repair);
        } catch (RuntimeException e) {
            fail(e);
            return;
        }
        work(() -> {
                    aftermath.run();
                    return aftermath;
                })
                .then(
                        _ -> {
                            hasMended = true;
                            hasFailed = false;
                            counters.damagesRepaired.add(before - count());
                            LOG.warn(
                                    "{}: {} is whole again; {} bytes came from another replica",
                                    id,
                                    repair.segment().path(),
                                    repair.bytesFilled());
                            next();
                        },
                        this::fail);
    }

    private void giveUp(SegmentRepair repair, String sentence) {
        work(() -> {
                    repair.abandon();
                    return repair;
                })
                .whenDone(_ -> fail(new IllegalStateException(sentence)));
    }

    /// Later again; until then the damage is refused to readers.
    private void fail(Throwable failure) {
        LOG.error(
                "{}: damage cannot be mended now, the next try is in {}: {} {}",
                id,
                TRY_AGAIN,
                failure.getMessage(),
                log.damages());
        counters.repairsFailed.increment();
        hasFailed = true;
        failedNanos = open.doors().clock().monotonicNanos();
        rest();
    }
}
