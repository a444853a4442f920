/// The `sluice` command: entry, global options, the session that every command works in, and what its exit code means.
///
/// Stands beside the broker and talks to any Kafka-compatible one through kafka-clients' public API. Read
/// [io.sluice.cli.Main] first, then [io.sluice.cli.Session]; each command is one class in a package named after its
/// noun. Runs on the main thread; commands that need more threads own and end them.
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;
