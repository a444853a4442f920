package io.sluice.chaos.fault;

/// Something that can happen to a cluster.
///
/// Immutable; what it decides, it decides by the scene's seeded randomness.
public interface Fault {

    /// Its name on the command line and in tables.
    String kind();

    /// What the machine must offer for it.
    Needs needs();

    /// Does it. The cluster is whole before; it stays hurt until the injury is healed.
    Injury inflict(Scene scene);
}
