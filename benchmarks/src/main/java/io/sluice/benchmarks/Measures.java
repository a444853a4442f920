package io.sluice.benchmarks;

import io.sluice.benchmarks.measure.ControllerChange;
import io.sluice.benchmarks.measure.Fetch;
import io.sluice.benchmarks.measure.Idle;
import io.sluice.benchmarks.measure.Latency;
import io.sluice.benchmarks.measure.Loaded;
import io.sluice.benchmarks.measure.Measure;
import io.sluice.benchmarks.measure.Partitions;
import io.sluice.benchmarks.measure.Presets;
import io.sluice.benchmarks.measure.Produce;
import io.sluice.benchmarks.measure.SmallRequests;
import io.sluice.benchmarks.measure.StartUp;
import java.util.List;

/// Every measure there is, in the order in which a peer goes through them: what needs fresh processes first, what leaves them heavy last.
final class Measures {
    private Measures() {}

    static List<Measure> of(Options options) {
        return options.isCluster() ? ofCluster(options) : ofOneNode(options);
    }

    private static List<Measure> ofOneNode(Options options) {
        return List.of(
                StartUp.ofOneNode(),
                Idle.ofOneNode(),
                SmallRequests.ofOneNode(options.inFlight),
                Produce.ofOneNode(),
                new Fetch(),
                Latency.ofOneNode(),
                new Loaded(),
                new Presets(),
                new Partitions(options.pace().partitionCounts()));
    }

    private static List<Measure> ofCluster(Options options) {
        return List.of(
                StartUp.ofCluster(),
                Idle.ofCluster(),
                SmallRequests.ofCluster(),
                Produce.ofCluster(),
                Latency.ofCluster(),
                new Loaded(),
                new ControllerChange(options.pace().partitionCounts()));
    }
}
