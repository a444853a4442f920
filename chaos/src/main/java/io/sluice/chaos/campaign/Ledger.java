package io.sluice.chaos.campaign;

import io.sluice.chaos.check.Violation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a campaign has seen so far.
///
/// Owned by the campaign's thread.
public final class Ledger {
    private final List<Incident> incidents = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final Map<String, Integer> violations = new LinkedHashMap<>();
    private final List<String> examples = new ArrayList<>();
    private long acknowledged;
    private long unknown;
    private long polled;
    private int rounds;

    void add(Incident incident) {
        incidents.add(incident);
    }

    void addFinding(String finding) {
        findings.add(finding);
    }

    /// One round's verdict by one check. A few of the violations are kept word by word.
    void addVerdict(String check, List<Violation> found, int round) {
        violations.merge(check, found.size(), Integer::sum);
        found.stream()
                .limit(5)
                .forEach(violation -> examples.add("round " + round + ": " + violation));
    }

    void addRound(long acknowledgedMessages, long unknownMessages, long polledMessages) {
        rounds++;
        acknowledged += acknowledgedMessages;
        unknown += unknownMessages;
        polled += polledMessages;
    }

    /// Every fault that happened, in their order.
    public List<Incident> incidents() {
        return List.copyOf(incidents);
    }

    public List<String> findings() {
        return List.copyOf(findings);
    }

    /// How often each check that was made has found something; a check that was never made has no entry.
    public Map<String, Integer> violations() {
        return Collections.unmodifiableMap(violations);
    }

    public List<String> examples() {
        return List.copyOf(examples);
    }

    public int faults() {
        return incidents.size();
    }

    public long acknowledged() {
        return acknowledged;
    }

    long unknown() {
        return unknown;
    }

    public long polled() {
        return polled;
    }

    public int rounds() {
        return rounds;
    }

    public int violationCount() {
        return violations.values().stream().mapToInt(Integer::intValue).sum();
    }

    /// Nothing broken, nothing stuck, nobody dead.
    public boolean isClean() {
        return violationCount() == 0 && findings.isEmpty();
    }
}
