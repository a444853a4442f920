/// From a framed request to its handler, and the answer back.
///
/// [io.sluice.kafka.api.Dispatcher] decodes the frame and switches to one handler for each API; handlers live in the packages beside it, by what they are about:
/// `data` (produce, fetch, offsets), `cluster` (who is there), `topics` (administration), `groups` (consumer groups). Everything runs on the connection's
/// event loop, crosses to the shard that owns a partition or a coordinator through its mailbox, and never blocks. Whatever is not in
/// [io.sluice.kafka.api.SupportedApis] is not offered to clients.
@NullMarked
package io.sluice.kafka.api;

import org.jspecify.annotations.NullMarked;
