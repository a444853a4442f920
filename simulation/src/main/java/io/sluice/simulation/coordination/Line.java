package io.sluice.simulation.coordination;

import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/// A connection between a process and the store: everything arrives in order, each way, until it breaks.
///
/// Of what is under way when it breaks, the first few still arrive: that is what makes outcomes unknown. Owned by its world.
final class Line {
    private static final long MICROSECOND_NANOS = 1_000L;

    private final SimWorld world;
    private final SimEntropy entropy;
    private final SimProcess ensemble;
    private final SimProcess process;
    private final int slowPercent;
    private final Deque<SimWorld.Event> toStore = new ArrayDeque<>();
    private final Deque<SimWorld.Event> fromStore = new ArrayDeque<>();
    private long lastAtStore;
    private long lastLeft;
    private long lastAtProcess;
    private boolean open = true;

    Line(
            SimWorld world,
            SimEntropy entropy,
            SimProcess ensemble,
            SimProcess process,
            int slowPercent) {
        this.world = world;
        this.entropy = entropy;
        this.ensemble = ensemble;
        this.process = process;
        this.slowPercent = slowPercent;
    }

    boolean isOpen() {
        return open;
    }

    /// Arrives even when the process has died meanwhile.
    void ask(Runnable work) {
        if (open) {
            lastAtStore = Math.max(lastAtStore, now() + delay());
            carry(toStore, ensemble, "to the store", lastAtStore, work);
        }
    }

    /// The look at the tree is taken a little later, as if the store were asked again: by then it may have moved on.
    void tell(Supplier<Runnable> look) {
        if (open) {
            lastLeft = Math.max(lastLeft, now() + entropy.between(0, 2_000) * MICROSECOND_NANOS);
            carry(fromStore, ensemble, "at the store", lastLeft, () -> send(look.get()));
        }
    }

    private void send(Runnable work) {
        if (open) {
            lastAtProcess = Math.max(lastAtProcess, now() + delay());
            carry(fromStore, process, "from the store", lastAtProcess, work);
        }
    }

    private void carry(
            Deque<SimWorld.Event> way, SimProcess at, String name, long arrival, Runnable work) {
        SimWorld.Event[] self = new SimWorld.Event[1];
        self[0] =
                world.schedule(
                        at,
                        name,
                        arrival - now(),
                        () -> {
                            way.remove(self[0]);
                            work.run();
                        });
        way.add(self[0]);
    }

    private long delay() {
        int longest = entropy.chance(slowPercent) ? 1_500_000 : 2_000;
        return entropy.between(20, longest) * MICROSECOND_NANOS;
    }

    private long now() {
        return world.clock().monotonicNanos();
    }

    /// Nothing more is sent. Some of what is under way arrives yet.
    void breakNow() {
        if (open) {
            open = false;
            dropAfter(toStore, entropy.between(0, toStore.size()));
            dropAfter(fromStore, 0);
        }
    }

    /// Whatever is still under way to the store gets lost: it has another line now.
    void drop() {
        open = false;
        dropAfter(toStore, 0);
        dropAfter(fromStore, 0);
    }

    private static void dropAfter(Deque<SimWorld.Event> way, int kept) {
        while (way.size() > kept) {
            way.removeLast().cancel();
        }
    }
}
