/// Presets over kafka-clients: a delivery and a profile are chosen instead of forty settings.
///
/// [io.sluice.client.Preset] turns the two choices into checked producer and consumer settings and refuses what
/// would break them. [io.sluice.client.ConsumeLoop] commits before or after the work, as the delivery demands;
/// [io.sluice.client.TransformLoop] consumes, works and produces in one transaction.
///
/// Stands beside the broker: public kafka-clients API only, so it works with any Kafka-compatible broker. Starts no
/// threads of its own; a loop runs on the thread that calls `run`.
@NullMarked
package io.sluice.client;

import org.jspecify.annotations.NullMarked;
