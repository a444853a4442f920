package io.sluice.listener.guard;

import io.sluice.listener.limit.Pressure;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Says whether heap, container memory or CPU are at their end. What a machine does not tell is no reason to worry.
///
/// Immutable.
///
/// @param heap share of the heap that is still taken after a collection
/// @param container share of the container's memory
/// @param memoryStall share of the last ten seconds in which some task waited for memory (PSI)
/// @param cpuStall the same for CPU
/// @param root where the kernel's files are
public record Guards(
        double heap, double container, double memoryStall, double cpuStall, Path root) {
    private static final Pattern SOME = Pattern.compile("some avg10=([0-9.]+)");

    public Guards {
        requireShare("heap", heap);
        requireShare("container", container);
        requireShare("memory stall", memoryStall);
        requireShare("CPU stall", cpuStall);
    }

    private static void requireShare(String what, double bound) {
        if (!(bound > 0 && bound <= 1)) {
            throw new IllegalArgumentException(
                    "The guard on "
                            + what
                            + " is a share above 0 and at most 1, not "
                            + bound
                            + ". With 1 it never takes a lane down.");
        }
    }

    public static Guards ofThisProcess() {
        return ofThisProcess(0.85, 0.92, 0.2, 0.95);
    }

    public static Guards ofThisProcess(
            double heap, double container, double memoryStall, double cpuStall) {
        return new Guards(heap, container, memoryStall, cpuStall, Path.of("/"));
    }

    public Pressure look() {
        OptionalDouble heapShare = heapAfterCollection();
        if (above(heapShare, heap)) {
            return because("%.0f %% of the heap are taken even after a collection", heapShare);
        }
        OptionalDouble memory = containerMemory();
        if (above(memory, container)) {
            return because("%.0f %% of the container's memory are taken", memory);
        }
        OptionalDouble memoryPressure = stall("memory");
        if (above(memoryPressure, memoryStall)) {
            return because("tasks waited for memory %.0f %% of the last 10 s", memoryPressure);
        }
        OptionalDouble cpuPressure = stall("cpu");
        if (above(cpuPressure, cpuStall)) {
            return Pressure.ofCpu(
                    "tasks waited for CPU %.0f %% of the last 10 s"
                            .formatted(100 * cpuPressure.orElseThrow()));
        }
        return Pressure.none();
    }

    private static boolean above(OptionalDouble share, double bound) {
        return share.isPresent() && share.getAsDouble() > bound;
    }

    private static Pressure because(String sentence, OptionalDouble share) {
        return Pressure.because(sentence.formatted(100 * share.orElseThrow()));
    }

    /// What was left in all heap pools after their last collections.
    private static OptionalDouble heapAfterCollection() {
        List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans();
        long taken = 0;
        for (MemoryPoolMXBean pool : pools) {
            MemoryUsage usage =
                    pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
            taken += usage == null ? 0 : usage.getUsed();
        }
        long most = Runtime.getRuntime().maxMemory();
        return most == Long.MAX_VALUE
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) taken / most);
    }

    /// cgroup v2. The page cache is not counted: the kernel gives it back by itself.
    private OptionalDouble containerMemory() {
        try {
            Path group = root.resolve("sys/fs/cgroup");
            String most = Files.readString(group.resolve("memory.max")).strip();
            if (most.equals("max")) {
                return OptionalDouble.empty();
            }
            long used = Long.parseLong(Files.readString(group.resolve("memory.current")).strip());
            long cache =
                    Files.readAllLines(group.resolve("memory.stat")).stream()
                            .filter(line -> line.startsWith("inactive_file "))
                            .mapToLong(line -> Long.parseLong(line.substring(14).strip()))
                            .findFirst()
                            .orElse(0);
            return OptionalDouble.of((double) (used - cache) / Long.parseLong(most));
        } catch (IOException | NumberFormatException e) {
            return OptionalDouble.empty();
        }
    }

    private OptionalDouble stall(String resource) {
        for (String file :
                List.of("sys/fs/cgroup/" + resource + ".pressure", "proc/pressure/" + resource)) {
            try {
                Matcher some = SOME.matcher(Files.readString(root.resolve(file)));
                if (some.find()) {
                    return OptionalDouble.of(Double.parseDouble(some.group(1)) / 100);
                }
            } catch (IOException | NumberFormatException e) {
                // The next file, or nothing known.
            }
        }
        return OptionalDouble.empty();
    }
}
