package io.sluice.simulation.log;

import io.sluice.env.Disk;
import io.sluice.log.PartitionLog;
import io.sluice.log.recovery.RecoveryPoint;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/// Where a test can put a mistake into an otherwise correct broker. Immutable.
///
/// @param disk between the log and the simulated disk
/// @param checkpoint what is kept as the log's recovery point
record Habits(UnaryOperator<Disk> disk, Function<PartitionLog, RecoveryPoint> checkpoint) {
    static final Habits GOOD = new Habits(UnaryOperator.identity(), PartitionLog::recoveryPoint);

    static Habits disk(UnaryOperator<Disk> disk) {
        return new Habits(disk, PartitionLog::recoveryPoint);
    }

    static Habits checkpoint(Function<PartitionLog, RecoveryPoint> checkpoint) {
        return new Habits(UnaryOperator.identity(), checkpoint);
    }
}
