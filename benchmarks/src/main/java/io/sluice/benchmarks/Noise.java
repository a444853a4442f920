package io.sluice.benchmarks;

import io.sluice.benchmarks.peer.MachineUsage;
import io.sluice.benchmarks.peer.ProcFiles;
import io.sluice.benchmarks.report.Spread;
import io.sluice.benchmarks.report.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;

/// How busy everything else on the machine was while the readings were taken; a table without it cannot be judged.
///
/// Owned by the thread that runs the comparison.
final class Noise {
    private final ProcFiles procFiles = ProcFiles.ofThisMachine();
    private final List<Double> shares = new ArrayList<>();

    /// One stretch of time that is being watched.
    final class Sample {
        private final DoubleSupplier brokerCpuSeconds;
        private final MachineUsage machineBefore = procFiles.machine();
        private final double knownBefore;

        private Sample(DoubleSupplier brokerCpuSeconds) {
            this.brokerCpuSeconds = brokerCpuSeconds;
            knownBefore = known();
        }

        void end() {
            double known = known() - knownBefore;
            shares.add(procFiles.machine().backgroundSince(machineBefore, known));
        }

        private double known() {
            return procFiles.ownCpuSeconds() + brokerCpuSeconds.getAsDouble();
        }
    }

    Sample begin(DoubleSupplier brokerCpuSeconds) {
        return new Sample(brokerCpuSeconds);
    }

    /// A sentence for the report.
    String describe() {
        if (shares.isEmpty()) {
            return "Nothing was measured.";
        }
        double[] percents = shares.stream().mapToDouble(share -> 100 * share).toArray();
        return "Other processes (and the host) used "
                + Spread.of(percents).format(Unit.COUNT)
                + " % of the machine meanwhile.";
    }
}
