package io.sluice.benchmarks.pulse;

import java.nio.file.Path;

/// How the machine was before every turn, for the line under the table.
///
/// Owned by the thread that runs the comparison.
public final class Pulses {
    private final DiskPulse disk = new DiskPulse();
    private final CopyPulse copy = new CopyPulse();
    private final RequestPulse requests = new RequestPulse();

    /// @param clusters whether brokers are compared that keep three copies
    public void take(Path folder, boolean clusters) {
        disk.take(folder);
        if (clusters) {
            copy.take(folder);
            requests.take(folder);
        }
    }

    /// Sentences for the report.
    public String describe() {
        return disk.describe() + copy.describe() + requests.describe();
    }
}
