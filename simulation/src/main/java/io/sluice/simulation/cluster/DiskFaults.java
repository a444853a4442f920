package io.sluice.simulation.cluster;

import io.sluice.log.Checkpoints;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.record.PartitionId;
import io.sluice.simulation.SimEntropy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What is done to disks that keep their power. Owned by its run.
final class DiskFaults {
    /// A batch's checksum covers all that comes behind it.
    private static final int CHECKED_FROM = 21;

    /// Where a broker keeps how far its logs are durable.
    private static final String CHECKPOINT = "checkpoint";

    private final Means means;
    private final Cluster cluster;
    private final SimEntropy entropy;
    private final Facts facts;
    private final GoodCopies copies;
    private final MachineFaults machines;

    DiskFaults(Means means, Facts facts, GoodCopies copies, MachineFaults machines) {
        this.means = means;
        this.cluster = means.cluster();
        this.entropy = means.entropy();
        this.facts = facts;
        this.copies = copies;
        this.machines = machines;
    }

    boolean failForces(SimBroker broker) {
        cluster.tell(() -> "fsyncs fail on " + broker.machine());
        broker.disk().failedForcePerMille(entropy.pick(List.of(20, 300)));
        means.after(means.duration(), () -> broker.disk().failedForcePerMille(0));
        return true;
    }

    boolean fill(SimBroker broker) {
        cluster.tell(() -> "the disk of " + broker.machine() + " is nearly full");
        broker.disk().capacity(broker.disk().usedBytes() + entropy.below(4_000));
        means.after(means.duration(), () -> broker.disk().unlimitedCapacity());
        return true;
    }

    boolean slow(SimBroker broker) {
        broker.slowDisk(entropy.pick(List.of(5, 40)));
        means.after(means.duration(), () -> broker.slowDisk(0));
        return true;
    }

    /// In a batch of a sealed segment, where its checksum covers it; on one disk at a time, while another replica has it, too. Nobody is there to notice: what rots in bytes that
    /// this process has checked before is a known weakness, and so is what rots before it is known to be durable, for it cannot be told from a torn write.
    boolean rot(SimBroker broker) {
        PartitionId id = anyPartition();
        if (id == null) {
            return false;
        }
        List<ReplicaLog.Stored> sealed =
                new ArrayList<>(facts.logs().of(broker.id(), id).batches());
        Set<String> paths = sealedSegments(broker, id);
        sealed.removeIf(
                batch -> !paths.contains(batch.path()) || !copies.hasElsewhere(broker, id, batch));
        if (sealed.isEmpty()
                || !copies.hasGoodCopyElsewhere(broker, false)
                || !copies.areOthersWhole(broker)
                || broker.disk().isRotten()) {
            return false;
        }
        ReplicaLog.Stored batch = entropy.pick(sealed);
        int at = entropy.between(CHECKED_FROM, batch.size() - 1);
        machines.kill(broker);
        cluster.tell(() -> "a bit rots on " + broker.machine() + " in " + batch);
        broker.disk().rot(batch.path(), batch.position() + at, 1 << entropy.below(8));
        return true;
    }

    private static Set<String> sealedSegments(SimBroker broker, PartitionId id) {
        LogFolder folder = new LogFolder(broker.disk(), id.toString());
        Set<String> names = Set.copyOf(broker.disk().namesIn(folder.directory()));
        Set<String> sealed = new HashSet<>();
        for (long base : LogFolder.offsetsIn(names, LogFolder.INDEX)) {
            SegmentFacts facts = IndexFile.readFacts(folder, base);
            if (facts != null && facts.sealed()) {
                sealed.add(folder.path(base, LogFolder.LOG));
            }
        }
        return sealed;
    }

    /// All files of one replica, or one of its segments; on one disk at a time, while others have everything. Only what its broker can notice: files that a checkpoint knows of, or with others behind them.
    boolean lose(SimBroker broker) {
        PartitionId id = anyPartition();
        if (id == null) {
            return false;
        }
        RecoveryPoint known =
                Checkpoints.read(broker.disk(), CHECKPOINT).points().get(id.toString());
        List<String> segments =
                broker.disk().namesIn(id.toString()).stream()
                        .filter(name -> name.endsWith(".log"))
                        .sorted()
                        .toList();
        if (known == null
                || known.durableOffset() == 0
                || segments.isEmpty()
                || !broker.isUp()
                || broker.disk().isRotten()
                || !copies.hasGoodCopyElsewhere(broker, false)
                || !copies.areOthersWhole(broker)) {
            return false;
        }
        int number = entropy.below(segments.size());
        boolean isLast = number == segments.size() - 1;
        boolean noticed = isLast ? base(segments.get(number)) < known.durableOffset() : number > 0;
        machines.kill(broker);
        copies.wiped(broker);
        broker.loseFiles(id, noticed && entropy.chance(70) ? segments.get(number) : "");
        return true;
    }

    /// Null when there is no topic.
    private @Nullable PartitionId anyPartition() {
        List<StoredPlan> present = facts.plans().of(cluster.shape().topic().name());
        return present.isEmpty() ? null : entropy.pick(present).id();
    }

    private static long base(String segment) {
        return Long.parseLong(segment.substring(0, segment.indexOf('.')));
    }
}
