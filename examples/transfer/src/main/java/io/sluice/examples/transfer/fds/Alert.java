package io.sluice.examples.transfer.fds;

/// A transfer that somebody should look at.
///
/// Immutable.
public record Alert(long transfer, String account, String reason) {}
