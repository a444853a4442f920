package io.sluice.cli.doctor;

import io.sluice.cli.Command;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Session;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Listing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/// `sluice doctor`
@CommandLine.Command(
        name = "doctor",
        description = {
            "Look for what usually goes wrong, and say how to mend it.",
            "Exit code 1 if there is a problem."
        })
public final class DoctorCommand implements Command {
    @CommandLine.Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The broker's data directory, to look at its disk. Default: ./data.")
    Path data = Path.of("data");

    @CommandLine.Option(
            names = "--admin",
            paramLabel = "URL",
            description =
                    "The broker's admin address. Default: http://HOST:8080, HOST from --bootstrap.")
    @Nullable String admin;

    @CommandLine.Option(
            names = "--write",
            description = "May make a topic for a moment, to read the broker's clock.")
    boolean write;

    @Override
    public ExitCode run(Session session) {
        List<Finding> findings = new ArrayList<>();
        findings.addAll(new MachineChecks(data).run());
        findings.addAll(new BrokerChecks(session.clientSettings(), admin, write).run());
        session.printer()
                .print(
                        Listing.of(
                                List.of(
                                        Column.of("check", "CHECK"),
                                        Column.of("verdict", "VERDICT"),
                                        Column.of("detail", "DETAIL")),
                                findings.stream().map(Finding::fields).toList()));
        tellFixes(session, findings);
        boolean ill = findings.stream().anyMatch(f -> f.verdict() == Finding.Verdict.PROBLEM);
        return ill ? ExitCode.FAILED : ExitCode.OK;
    }

    /// Fixes are sentences, too long for a column; programs find them in the rows.
    private static void tellFixes(Session session, List<Finding> findings) {
        for (Finding finding : findings) {
            if (finding.fix() != null) {
                session.note(finding.check() + ": " + finding.fix());
            }
        }
    }
}
