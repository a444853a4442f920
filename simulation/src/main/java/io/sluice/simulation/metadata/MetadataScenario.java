package io.sluice.simulation.metadata;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.Mailbox;
import io.sluice.env.os.DamagedMetadata;
import io.sluice.env.os.LocalCoordination;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.Scenario;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimMailbox;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import io.sluice.simulation.Story;
import io.sluice.simulation.disk.PowerCut;
import io.sluice.simulation.disk.SimDisk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/// Clients that change a small tree at the same time, on a disk that fails, through crashes and restarts.
///
/// A seed first draws which faults there are at all, then what happens. Owned by its run.
public final class MetadataScenario {
    private static final int STEPS = 120;
    private static final int PATHS = 6;
    private static final int MOST_STARTS = 50;

    private final SimWorld world;
    private final SimEntropy entropy;
    private final SimDisk disk;
    private final UnaryOperator<Disk> wrapper;
    private final Story story;
    private final Faults faults;
    private final MetadataModel model = new MetadataModel();
    private final SortedMap<String, Integer> counts = new TreeMap<>();
    private SimProcess process = new SimProcess("none");
    private Mailbox home;
    private Coordination store;

    /// Which faults a seed has: with all of them always on, the rarer combinations would hide behind the common.
    private record Faults(
            boolean powerCuts, boolean kills, boolean failedForces, boolean full, boolean rot) {
        static Faults draw(SimEntropy entropy) {
            return new Faults(
                    entropy.chance(60),
                    entropy.chance(40),
                    entropy.chance(40),
                    entropy.chance(40),
                    entropy.chance(40));
        }
    }

    @SuppressWarnings("NullAway.Init") // `start` sets home and store before anything uses them.
    private MetadataScenario(long seed, UnaryOperator<Disk> wrapper, Story story) {
        this.world = new SimWorld(seed);
        this.entropy = world.entropy("scenario");
        this.disk = new SimDisk(world.entropy("disk"), world.trace());
        this.wrapper = wrapper;
        this.story = story;
        this.faults = Faults.draw(world.entropy("faults"));
        story.add(world, faults::toString);
    }

    public static Scenario usual() {
        return over(UnaryOperator.identity());
    }

    /// With something between the store and its disk: tests put a lie there, to see that it is found.
    public static Scenario over(UnaryOperator<Disk> wrapper) {
        return (seed, story) -> new MetadataScenario(seed, wrapper, story).run();
    }

    private Scenario.Report run() {
        start();
        for (int step = 0; step < STEPS; step++) {
            try {
                act();
                world.runFor(Duration.ofNanos(entropy.below(3)));
            } catch (PowerCut _) {
                crash();
            }
        }
        settleDown();
        disk.faults()
                .forEach((fault, count) -> counts.merge("fault " + fault, count, Integer::sum));
        return new Scenario.Report(world.trace().value(), world.executed(), counts);
    }

    /// Without faults all must work again.
    private void settleDown() {
        disk.failedForcePerMille(0);
        disk.unlimitedCapacity();
        crash();
        commit();
        load();
        world.runUntilIdle(1_000);
    }

    private void act() {
        switch (entropy.below(20)) {
            case 0 -> restart();
            case 1 -> ifOn(faults.powerCuts, () -> disk.cutPowerAfter(entropy.below(12)));
            case 2 -> ifOn(faults.kills, this::kill);
            case 3 ->
                    ifOn(
                            faults.failedForces,
                            () -> failForces(entropy.pick(List.of(0, 0, 50, 500))));
            case 4 -> ifOn(faults.full, this::changeCapacity);
            case 5 -> ifOn(faults.rot, this::rotAndCrash);
            case 6, 7, 8 -> load();
            default -> commit();
        }
    }

    private static void ifOn(boolean on, Runnable action) {
        if (on) {
            action.run();
        }
    }

    private void failForces(int perMille) {
        disk.failedForcePerMille(perMille);
    }

    private void changeCapacity() {
        if (entropy.chance(50)) {
            disk.capacity(disk.usedBytes() + entropy.below(2_000));
        } else {
            disk.unlimitedCapacity();
        }
    }

    private void commit() {
        List<Change> commit = new ArrayList<>();
        for (int i = entropy.between(1, 4); i > 0; i--) {
            commit.add(change());
        }
        model.issued(commit);
        story.add(world, () -> "commit " + brief(commit));
        // On the home mailbox, but at once: the order of issue is the order in which the model
        // judges.
        store.commit(home, commit)
                .then(
                        outcome -> {
                            story.add(world, () -> "answer " + outcome);
                            count("commits answered " + outcome.getClass().getSimpleName());
                            model.answered(commit, outcome);
                        },
                        failure -> failed(commit, failure));
    }

    private static String brief(Object commit) {
        return commit.toString().replaceAll("v{5,}", "vv…");
    }

    private Change change() {
        String path = "/node/" + entropy.below(PATHS);
        Node node = model.settled().get(path);
        int version = node == null || entropy.oneIn(10) ? entropy.below(3) : node.version();
        // Now and then large, so that a commit spans sectors and files are rolled.
        String value =
                world.executed()
                        + "v"
                                .repeat(
                                        entropy.oneIn(20)
                                                ? entropy.below(100_000)
                                                : entropy.below(300));
        if (node == null && !entropy.oneIn(10)) {
            return new Change.Create(path, value);
        }
        return switch (entropy.below(6)) {
            case 0 -> new Change.Delete(path, version);
            case 1 -> new Change.Check(path, version);
            default -> new Change.Set(path, value, version);
        };
    }

    private void failed(List<Change> commit, Throwable failure) {
        story.add(world, () -> "failed " + failure);
        if (!(failure instanceof DiskException error)) {
            throw new InvariantBroken("OnlyTheDiskFails", failure.toString());
        }
        if (error.kind() == Kind.FULL) {
            count("commits refused for room");
            model.refusedForRoom(commit);
        } else {
            count("commits failed");
            model.failed(commit);
        }
    }

    private void load() {
        store.load(home, "")
                .then(
                        model::loaded,
                        failure -> {
                            throw new InvariantBroken("LoadsAlwaysWork", failure.toString());
                        });
    }

    // Lives and deaths.

    private void restart() {
        world.runUntilIdle(1_000);
        count("orderly restarts");
        ((LocalCoordination) store).close();
        if (disk.openFiles() != 0) {
            throw new InvariantBroken("NoFileIsLeaked", disk.openFiles() + " files are open");
        }
        kill();
    }

    private void kill() {
        story.add(world, () -> "the process dies");
        count("kills");
        process.kill();
        disk.loseProcess();
        start();
    }

    private void crash() {
        story.add(world, () -> "the power goes off");
        count("power losses");
        process.kill();
        disk.crash();
        start();
    }

    /// One damaged place between two starts is what the store promises to survive.
    private void rotAndCrash() {
        world.runUntilIdle(1_000);
        process.kill();
        disk.crash();
        List<String> trees = disk.files().stream().filter(path -> path.contains("tree-")).toList();
        if (!trees.isEmpty()) {
            String newest = trees.getLast();
            long position = entropy.below(disk.durableSize(newest));
            story.add(world, () -> "rot at " + position + " of " + newest);
            disk.rot(newest, position, 1 << entropy.below(8));
        }
        start();
    }

    /// Opens the store, again and again when the disk fails meanwhile, and looks at what it holds.
    private void start() {
        for (int attempt = 0; attempt < MOST_STARTS; attempt++) {
            if (attempt > 5) {
                disk.failedForcePerMille(0);
                disk.unlimitedCapacity();
            }
            process = new SimProcess("store");
            home = new SimMailbox(world, process, "home", MetadataScenario::rethrow);
            Mailbox own = new SimMailbox(world, process, "own", MetadataScenario::rethrow);
            try {
                store = LocalCoordination.open(wrapper.apply(disk), "meta", own, 4_096);
                List<SortedMap<String, Node>> seen = new ArrayList<>();
                store.load(home, "").then(seen::add, MetadataScenario::rethrow);
                world.runUntilIdle(1_000);
                model.recovered(seen.getFirst());
                return;
            } catch (PowerCut _) {
                process.kill();
                disk.crash();
            } catch (DamagedMetadata e) {
                throw new InvariantBroken("OneDamagedPlaceIsRepaired", e.toString());
            } catch (DiskException _) {
                count("starts failed");
                process.kill();
                disk.loseProcess();
            }
        }
        throw new InvariantBroken("AHealthyDiskStarts", "no start in " + MOST_STARTS + " attempts");
    }

    private static void rethrow(Throwable bug) {
        switch (bug) {
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new IllegalStateException(bug);
        }
    }

    private void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }
}
