package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.nio.ByteBuffer;

/// The way to another replica's batches, for one that has lost some. Thread-safe.
public interface RepairDoor {
    /// For a single node: nobody has a copy.
    RepairDoor NOBODY =
            (_, _) -> Reply.failed(new IllegalStateException("there is no other broker"));

    /// Whole batches from the offset on, at least one, all of them committed. Fails when that replica cannot give them now.
    Reply<ByteBuffer> fetch(RepairFetch wanted, Mailbox home);
}
