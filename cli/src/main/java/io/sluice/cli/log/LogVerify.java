package io.sluice.cli.log;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Progress;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.HumanText;
import io.sluice.cli.output.Listing;
import io.sluice.cli.output.Value;
import io.sluice.env.Disk;
import io.sluice.log.inspect.LogInspector;
import io.sluice.log.inspect.LogInspector.Finding;
import io.sluice.log.inspect.LogInspector.SegmentView;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/// `sluice log verify`
@CommandLine.Command(
        name = "verify",
        description = {
            "Read every batch, check it and its index, and show what is wrong.",
            "Exit code 1 if something is damaged; a torn end, which the next start cuts off, is not."
        })
public final class LogVerify implements Command {
    @CommandLine.Mixin DataFolder data = new DataFolder();

    @CommandLine.Option(
            names = "--records",
            description = "Also decompress and decode the records.")
    boolean records;

    private final Totals totals = new Totals();

    /// What was read, for the sentence at the end.
    private static final class Totals implements LogInspector.Visitor {
        private long segments;
        private long batches;
        private long recordCount;
        private long bytes;

        @Override
        public void segment(SegmentView segment) {
            segments++;
            bytes += segment.sizeInBytes();
        }

        @Override
        public void batch(SegmentView segment, long position, RecordBatch batch) {
            batches++;
            recordCount += batch.recordCount();
        }
    }

    @Override
    public ExitCode run(Session session) {
        Disk disk = data.disk();
        List<String> partitions = data.partitions(disk);
        List<Fields> rows = new ArrayList<>();
        boolean damaged = false;
        try (Progress progress = session.progress()) {
            for (String partition : partitions) {
                progress.update("Reading " + partition);
                for (Finding finding : new LogInspector(disk, partition, records).inspect(totals)) {
                    damaged |= !finding.harmless();
                    rows.add(row(partition, finding));
                }
            }
        }
        session.printer().print(listing(rows));
        session.note(
                "%s messages in %s batches, %d segments and %d partitions (%s): %s."
                        .formatted(
                                HumanText.grouped(totals.recordCount),
                                HumanText.grouped(totals.batches),
                                totals.segments,
                                partitions.size(),
                                HumanText.size(totals.bytes),
                                verdict(damaged, rows.size())));
        return damaged ? ExitCode.FAILED : ExitCode.OK;
    }

    private static String verdict(boolean damaged, int findings) {
        if (damaged) {
            return "damaged. A broker that finds them does not serve them; restore them from a copy";
        }
        return findings == 0 ? "sound" : "sound, but for what the next start puts right by itself";
    }

    private static Fields row(String partition, Finding finding) {
        return Fields.of("partition", Value.text(partition))
                .with(
                        "verdict",
                        finding.harmless()
                                ? Value.state("harmless", Value.Mood.DOUBTFUL)
                                : Value.state("damaged", Value.Mood.BAD))
                .with("file", Value.text(finding.file()))
                .with("filePosition", Value.count(finding.position()))
                .with("finding", Value.text(finding.sentence()));
    }

    private static Listing listing(List<Fields> rows) {
        return Listing.of(
                List.of(
                        Column.of("partition", "PARTITION"),
                        Column.of("verdict", "VERDICT"),
                        Column.of("file", "FILE"),
                        Column.of("filePosition", "POSITION"),
                        Column.of("finding", "FINDING")),
                rows);
    }
}
