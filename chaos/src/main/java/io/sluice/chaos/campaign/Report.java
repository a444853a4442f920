package io.sluice.chaos.campaign;

import io.sluice.chaos.check.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What a campaign found, as a page of Markdown.
///
/// Immutable.
public record Report(Ledger ledger, List<String> heading) {

    public Report {
        heading = List.copyOf(heading);
    }

    /// One line that says it all.
    public String verdict() {
        return "%s: %d faults in %d rounds, %d messages acknowledged, %d given up, %d violations, %d other findings"
                .formatted(
                        ledger.isClean() ? "CLEAN" : "NOT CLEAN",
                        ledger.faults(),
                        ledger.rounds(),
                        ledger.acknowledged(),
                        ledger.unknown(),
                        ledger.violationCount(),
                        ledger.findings().size());
    }

    public String markdown() {
        StringBuilder page = new StringBuilder();
        heading.forEach(line -> page.append("- ").append(line).append('\n'));
        page.append("\n**").append(verdict()).append("**\n\n");
        page.append(faults()).append('\n').append(checks());
        if (!ledger.findings().isEmpty()) {
            page.append("\nFindings:\n\n");
            ledger.findings().forEach(finding -> page.append(item(finding)));
        }
        if (!ledger.examples().isEmpty()) {
            page.append("\nViolations (the first of each round and check):\n\n");
            ledger.examples().forEach(example -> page.append(item(example)));
        }
        return page.toString();
    }

    private static String item(String text) {
        return "- " + text.replace("\n", "\n  > ") + "\n";
    }

    private String faults() {
        Map<String, List<Incident>> byKind =
                ledger.incidents().stream()
                        .collect(
                                Collectors.groupingBy(
                                        Incident::kind, TreeMap::new, Collectors.toList()));
        StringBuilder table =
                new StringBuilder(
                        """
                        | fault | times | gap: median | longest | target | | whole again: median | longest |
                        | --- | --- | --- | --- | --- | --- | --- | --- |
                        """);
        byKind.forEach((kind, incidents) -> table.append(row(kind, incidents)));
        return table.toString();
    }

    private static String row(String kind, List<Incident> incidents) {
        List<Duration> gaps = incidents.stream().map(Incident::gap).sorted().toList();
        List<Duration> wholes = new ArrayList<>();
        for (Incident incident : incidents) {
            Duration whole = incident.whole();
            if (whole != null) {
                wholes.add(whole);
            }
        }
        wholes.sort(Duration::compareTo);
        Targets.Target target = Targets.of(kind);
        String met = target == null ? "" : target.isMet(median(gaps), gaps.getLast()) ? "✓" : "✗";
        return "| %s | %d | %s | %s | %s | %s | %s | %s |\n"
                .formatted(
                        kind,
                        incidents.size(),
                        Incident.seconds(median(gaps)),
                        Incident.seconds(gaps.getLast()),
                        target == null ? "" : target.toString(),
                        met,
                        wholes.isEmpty() ? "never" : Incident.seconds(median(wholes)),
                        wholes.size() < incidents.size()
                                ? (incidents.size() - wholes.size()) + " not in time"
                                : Incident.seconds(wholes.getLast()));
    }

    private static Duration median(List<Duration> sorted) {
        return sorted.get((sorted.size() - 1) / 2);
    }

    private String checks() {
        StringBuilder table =
                new StringBuilder("| check | what it means | violations |\n| --- | --- | --- |\n");
        for (Check check : Check.all()) {
            table.append(
                    "| %s | %s | %d |\n"
                            .formatted(
                                    check.name(),
                                    check.meaning(),
                                    ledger.violations().getOrDefault(check.name(), 0)));
        }
        return table.toString();
    }
}
