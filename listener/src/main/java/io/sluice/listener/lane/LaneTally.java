package io.sluice.listener.lane;

/// What has happened in a lane so far; only ever grows.
///
/// Owned by its lane, under the lock of [Lanes].
final class LaneTally {
    long admitted;
    long refused;
    long breaches;
    long done;
    long retried;
    long deadLettered;
    long handedBack;
    long lost;
    long jobNanos;
    double work;
    long cpuNanos;
}
