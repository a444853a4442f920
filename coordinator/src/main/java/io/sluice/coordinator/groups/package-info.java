/// Consumer groups: who is a member, which generation of the group counts, which offsets are committed (Q17–Q20).
///
/// The classic group protocol as a log-backed machine. [io.sluice.coordinator.groups.GroupMachine] takes the commands;
/// [io.sluice.coordinator.groups.Group] is what is known of one group, an immutable value; the classes named after what members do
/// (`Joining`, `Syncing`, `Leaving`, …) turn one value into the next. What is logged has Kafka's own format
/// (`docs/formats/group-records.md`). Pure: no clock, thread, randomness, file or log; owned by the coordinator's shard.
@NullMarked
package io.sluice.coordinator.groups;

import org.jspecify.annotations.NullMarked;
