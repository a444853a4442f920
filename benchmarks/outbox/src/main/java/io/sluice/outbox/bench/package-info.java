/// `sluice bench outbox`: the relay beside the document's two designs and Debezium, on one database and one broker.
///
/// [io.sluice.outbox.bench.OutboxBench] lets contenders take turns: `stage` sets the scene, `host` is what runs in their processes, `measure`
/// measures, [io.sluice.outbox.bench.Report] prints a table.
@NullMarked
package io.sluice.outbox.bench;

import org.jspecify.annotations.NullMarked;
