package io.sluice.cli.log;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Format;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.RowStream;
import io.sluice.cli.output.Value;
import io.sluice.env.Disk;
import io.sluice.log.inspect.LogInspector;
import io.sluice.log.inspect.LogInspector.Finding;
import io.sluice.log.inspect.LogInspector.SegmentView;
import io.sluice.record.LogRecord;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/// `sluice log dump`
@CommandLine.Command(
        name = "dump",
        description = "Print the batches on disk, or with --records what is in them.")
public final class LogDump implements Command {
    @CommandLine.Mixin DataFolder data = new DataFolder();

    @CommandLine.Option(names = "--records", description = "Print the records of each batch.")
    boolean records;

    @CommandLine.Option(
            names = "--from",
            paramLabel = "OFFSET",
            description = "From this offset on, in each partition.")
    long from;

    @CommandLine.Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "End after so many rows.")
    long count = Long.MAX_VALUE;

    @Override
    public ExitCode run(Session session) {
        Disk disk = data.disk();
        List<String> partitions = data.partitions(disk);
        List<Finding> findings = new ArrayList<>();
        boolean forPeople = session.printer().format() == Format.table;
        try (RowStream rows = session.printer().stream(records ? recordShape() : batchShape())) {
            for (String partition : partitions) {
                var dump = new PartitionDump(partition, rows, forPeople);
                findings.addAll(new LogInspector(disk, partition, false).inspect(dump));
                count -= dump.printed;
            }
        }
        for (Finding finding : findings) {
            session.note(
                    "%s at %d: %s"
                            .formatted(finding.file(), finding.position(), finding.sentence()));
        }
        boolean damaged = findings.stream().anyMatch(finding -> !finding.harmless());
        return damaged ? ExitCode.FAILED : ExitCode.OK;
    }

    /// Prints one partition as the inspector walks over it.
    private final class PartitionDump implements LogInspector.Visitor {
        private final String partition;
        private final RowStream rows;
        private final boolean forPeople;
        private long printed;

        PartitionDump(String partition, RowStream rows, boolean forPeople) {
            this.partition = partition;
            this.rows = rows;
            this.forPeople = forPeople;
        }

        @Override
        public void batch(SegmentView segment, long position, RecordBatch batch) {
            if (batch.lastOffset() < from || printed >= count) {
                return;
            }
            if (!records) {
                print(BatchRow.of(partition, segment.file(), position, batch));
                return;
            }
            try {
                for (LogRecord record : RecordReader.readAll(batch)) {
                    if (record.offset() >= from && printed < count) {
                        print(BatchRow.of(partition, record, forPeople));
                    }
                }
            } catch (MalformedBatch e) {
                print(
                        Fields.of("partition", Value.text(partition))
                                .with("offset", Value.count(batch.baseOffset()))
                                .with(
                                        "value",
                                        Value.state(
                                                "does not decode: " + e.getMessage(),
                                                Value.Mood.BAD)));
            }
        }

        private void print(Fields row) {
            rows.row(row);
            printed++;
        }
    }

    private static Listing batchShape() {
        return shape(
                Column.of("partition", "PARTITION", 16),
                Column.of("baseOffset", "OFFSET", 10),
                Column.of("lastOffset", "LAST", 10),
                Column.of("records", "RECORDS"),
                Column.of("sizeBytes", "SIZE", 9),
                Column.of("compression", "COMPRESSION"),
                Column.of("maxTimestamp", "TIME", 29),
                Column.of("leaderEpoch", "EPOCH"),
                Column.of("producer", "PRODUCER", 12),
                Column.of("kind", "KIND"),
                Column.of("filePosition", "POSITION", 10));
    }

    private static Listing recordShape() {
        return shape(
                Column.of("partition", "PARTITION", 16),
                Column.of("offset", "OFFSET", 10),
                Column.of("timestamp", "TIME", 29),
                Column.of("key", "KEY", 8),
                Column.of("value", "VALUE", 32),
                Column.of("headers", "HEADERS"));
    }

    private static Listing shape(Column... columns) {
        return new Listing("partition", List.of(columns), List.of());
    }
}
