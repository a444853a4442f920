package io.sluice.benchmarks.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads what Linux says about processes in `/proc` (proc(5)).
///
/// Immutable. The root can be another folder, which is how the tests feed it known files.
public final class ProcFiles {
    /// `USER_HZ`: the kernel shows CPU time to programs in this unit on every architecture that Java runs on, whatever its own tick is.
    static final long TICKS_PER_SECOND = 100;

    private static final Pattern COMPILER = Pattern.compile("\\(C[12] Compiler");

    private final Path root;

    ProcFiles(Path root) {
        this.root = root;
    }

    /// The machine's own `/proc`.
    public static ProcFiles ofThisMachine() {
        return new ProcFiles(Path.of("/proc"));
    }

    /// The usage of one process; all zeros when it does not exist (any more), because processes of a tree may end between listing and reading.
    public ProcessUsage usage(long processId) {
        Path folder = root.resolve(Long.toString(processId));
        try {
            String[] stat = fieldsAfterName(Files.readString(folder.resolve("stat")));
            return new ProcessUsage(
                    ticks(stat[11]),
                    ticks(stat[12]),
                    compilers(folder.resolve("task")),
                    contextSwitches(folder.resolve("task")),
                    1024 * statusNumber(folder.resolve("status"), "VmRSS:"),
                    count(folder.resolve("fd")),
                    Integer.parseInt(stat[17]),
                    lines(folder.resolve("maps")));
        } catch (IOException gone) {
            if (Files.exists(folder.resolve("stat"))) {
                throw new UncheckedIOException("Cannot read " + folder, gone);
            }
            return ProcessUsage.NONE;
        }
    }

    /// CPU seconds of this JVM and of all the children that it has seen end.
    public double ownCpuSeconds() {
        try {
            String[] stat = fieldsAfterName(Files.readString(root.resolve("self/stat")));
            return ticks(stat[11])
                            .plus(ticks(stat[12]))
                            .plus(ticks(stat[13]))
                            .plus(ticks(stat[14]))
                            .toNanos()
                    / 1e9;
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot read the harness's own CPU usage", failure);
        }
    }

    /// The whole machine's usage, from the first line of `/proc/stat`.
    public MachineUsage machine() {
        try {
            String[] fields =
                    Files.readString(root.resolve("stat"))
                            .lines()
                            .findFirst()
                            .orElseThrow()
                            .substring("cpu".length())
                            .trim()
                            .split(" +");
            long total = 0;
            // user nice system idle iowait irq softirq steal; guest time is already part of user.
            for (int field = 0; field < 8; field++) {
                total += Long.parseLong(fields[field]);
            }
            long idle = Long.parseLong(fields[3]) + Long.parseLong(fields[4]);
            long stolen = Long.parseLong(fields[7]);
            return new MachineUsage(total - idle - stolen, stolen, total);
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot read the machine's CPU usage", failure);
        }
    }

    /// The first `model name` of `/proc/cpuinfo`, for the heading of a report.
    public String processorModel() {
        try {
            return Files.readAllLines(root.resolve("cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("unknown processor");
        } catch (IOException absent) {
            return "unknown processor";
        }
    }

    /// The name in `stat` stands in parentheses and may itself hold spaces and parentheses, so fields are counted from the last one on.
    private static String[] fieldsAfterName(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2).trim().split(" ");
    }

    private static Duration ticks(String field) {
        return Duration.ofMillis(Long.parseLong(field) * 1000 / TICKS_PER_SECOND);
    }

    /// HotSpot's threads `C1 CompilerThread0`, `C2 CompilerThread0` and so on, whose names the kernel cuts after 15 characters.
    private static Duration compilers(Path tasks) throws IOException {
        Duration sum = Duration.ZERO;
        for (Path task : list(tasks)) {
            try {
                String stat = Files.readString(task.resolve("stat"));
                if (COMPILER.matcher(stat).find()) {
                    String[] fields = fieldsAfterName(stat);
                    sum = sum.plus(ticks(fields[11])).plus(ticks(fields[12]));
                }
            } catch (IOException ended) {
                // A thread that has ended takes its time with it.
            }
        }
        return sum;
    }

    /// Over all threads that live now: the process's own `status` counts its first thread only.
    private static long contextSwitches(Path tasks) throws IOException {
        long switches = 0;
        for (Path task : list(tasks)) {
            try {
                Path status = task.resolve("status");
                switches += statusNumber(status, "voluntary_ctxt_switches:");
                switches += statusNumber(status, "nonvoluntary_ctxt_switches:");
            } catch (IOException ended) {
                // A thread that has ended takes its count with it.
            }
        }
        return switches;
    }

    private static long statusNumber(Path status, String key) throws IOException {
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith(key)) {
                return Long.parseLong(line.substring(key.length()).trim().split(" ")[0]);
            }
        }
        return 0;
    }

    private static int count(Path folder) throws IOException {
        return list(folder).size();
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        }
    }

    private static int lines(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return (int) lines.count();
        }
    }
}
