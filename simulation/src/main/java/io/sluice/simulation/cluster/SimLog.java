package io.sluice.simulation.cluster;

import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import io.sluice.simulation.Story;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Where the brokers of a run write their log: into its story. A line that calls for a bug report ends the run.
///
/// A world is on one thread, so that its brokers' lines are on that thread, too.
public final class SimLog {
    private static final ThreadLocal<@Nullable SimLog> CURRENT = new ThreadLocal<>();

    private final Story story;
    private @Nullable SimWorld world;
    private @Nullable InvariantBroken bug;
    private @Nullable String loss;

    private SimLog(Story story) {
        this.story = story;
    }

    static <T> T during(Story story, Supplier<T> run) {
        CURRENT.set(new SimLog(story));
        try {
            return run.get();
        } finally {
            CURRENT.remove();
        }
    }

    static void world(SimWorld world) {
        SimLog present = CURRENT.get();
        if (present != null) {
            present.world = world;
        }
    }

    /// Whether lines below warnings are wanted at all.
    static boolean isTold() {
        SimLog present = CURRENT.get();
        return present != null && present.story.isTold();
    }

    static void write(String level, Supplier<String> line, @Nullable Throwable thrown) {
        SimLog present = CURRENT.get();
        SimWorld told = present == null ? null : present.world;
        if (present == null || told == null) {
            return;
        }
        SimProcess running = told.lastRun();
        String process = running == null ? "" : running.name();
        present.story.add(
                told,
                () ->
                        level
                                + " "
                                + process
                                + ": "
                                + line.get()
                                + (thrown == null ? "" : " " + thrown));
        if (level.equals("ERROR") && line.get().contains("please report it")) {
            present.bug = new InvariantBroken("NoBugIsReported", line.get() + " " + thrown);
        }
        if (level.equals("ERROR") && line.get().contains("are in no file")) {
            present.loss = process + ": " + line.get();
        }
    }

    /// What a broker has said since the last call of records that it had, if anything.
    static @Nullable String takeLoss() {
        SimLog present = CURRENT.get();
        if (present == null) {
            return null;
        }
        String told = present.loss;
        present.loss = null;
        return told;
    }

    /// Whoever wrote the line may catch everything, so that the run ends only here.
    static void throwBug() {
        SimLog present = CURRENT.get();
        if (present != null && present.bug != null) {
            throw present.bug;
        }
    }
}
