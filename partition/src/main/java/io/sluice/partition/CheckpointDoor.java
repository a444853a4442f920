package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;

/// Writes the recovery points down at once. Thread-safe.
///
/// A log must not be cut below what the checkpoint file calls durable: after a crash the missing batches would pass for damage.
public interface CheckpointDoor {
    /// Completes at home when everything that was noted before the call is on disk.
    Reply<Boolean> write(Mailbox home);
}
