package io.sluice.chaos.fault;

import java.util.List;

/// Every fault that there is.
public final class Faults {
    private static final List<Fault> ALL =
            List.of(
                    new Kill("kill-leader", Target.LEADER),
                    new Kill("kill-controller", Target.CONTROLLER),
                    new Kill("kill-leading-controller", Target.LEADING_CONTROLLER),
                    new Kill("kill-follower", Target.FOLLOWER),
                    new KillSeveral("kill-two", 1),
                    new KillSeveral("kill-all", 0),
                    new Freeze("pause-leader", Target.LEADER),
                    new Freeze("pause-follower", Target.FOLLOWER),
                    new Freeze("pause-controller", Target.CONTROLLER),
                    new Restart("restart-leader", Target.LEADER),
                    new Restart("restart-controller", Target.CONTROLLER),
                    new Isolate("isolate-leader", Target.LEADER, Isolate.Way.BROKERS),
                    new Isolate("isolate-leader-wholly", Target.LEADER, Isolate.Way.EVERYONE),
                    new Isolate("isolate-leader-outgoing", Target.LEADER, Isolate.Way.OUTGOING),
                    new Isolate("isolate-leader-incoming", Target.LEADER, Isolate.Way.INCOMING),
                    new Isolate("isolate-controller", Target.CONTROLLER, Isolate.Way.BROKERS),
                    new Isolate("isolate-follower", Target.FOLLOWER, Isolate.Way.BROKERS),
                    new CutPair("cut-pair"),
                    new SplitAll("split-all", false),
                    new CutFromStore("cut-leader-from-store", Target.LEADER),
                    new CutFromStore("cut-controller-from-store", Target.CONTROLLER),
                    new SplitAll("store-without-majority", true),
                    new PowerLoss("power-loss", false),
                    new PowerLoss("power-loss-all", true),
                    new BadDisk("disk-full", BadDisk.Ill.FULL),
                    new BadDisk("fsync-error", BadDisk.Ill.FAILING),
                    new Drain("drain"),
                    new Replace("replace"));

    private Faults() {}

    public static List<Fault> all() {
        return ALL;
    }

    public static List<String> kinds() {
        return ALL.stream().map(Fault::kind).toList();
    }

    /// The fault of that name; the message of the exception names all there are.
    public static Fault named(String kind) {
        return ALL.stream()
                .filter(fault -> fault.kind().equals(kind))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "Unknown fault '%s': there are %s"
                                                .formatted(kind, String.join(", ", kinds()))));
    }
}
