package io.sluice.simulation.network;

import io.sluice.env.Network;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import io.sluice.simulation.network.SimNetwork.Caller;
import io.sluice.simulation.network.SimNetwork.Service;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// One connection: two directions, each in order. Owned by its world.
///
/// Frames on a way that is cut wait, as TCP sends again, until the way is open or the connection is given up.
///
/// When it breaks, what is under way is lost. Where frames *straggle* ([Ways#straggle]) it arrives all the same, up to seconds later: whoever sent it was told that it failed, and may
/// have sent it again on another connection, which it then comes behind.
final class SimConnection {
    private static final int LENGTH_BYTES = 4;
    private static final long TRY_AGAIN_NANOS = 200_000_000L;
    private static final int TRIES = 75;
    private static final int LATEST_MILLIS = 6_000;

    private final SimNetwork network;
    private final SimWorld world;
    private final Caller caller;
    private final String host;
    private final Direction outward = new Direction();
    private final Direction homeward = new Direction();
    private final ArrayDeque<ByteBuffer> early = new ArrayDeque<>();
    private @Nullable SimProcess callee;
    private @Nullable Caller server;
    private boolean broken;

    SimConnection(SimNetwork network, Caller caller, String host) {
        this.network = network;
        this.world = network.world();
        this.caller = caller;
        this.host = host;
    }

    /// When the last frame on its way arrives: later ones never overtake it.
    private static final class Direction {
        private long lastArrivalNanos;
        private final ArrayDeque<ByteBuffer> underWay = new ArrayDeque<>();
        private final ArrayDeque<ByteBuffer> stuck = new ArrayDeque<>();
        private int tries;
    }

    Network.Link callerLink() {
        return new End(true);
    }

    /// The machine has taken it for this process, which need not have looked yet.
    void reached(SimProcess process) {
        callee = process;
    }

    /// In the process that takes the connection, when it comes to it.
    void establish(Service service) {
        if (broken) {
            return;
        }
        End end = new End(false);
        Network.Listener listener = service.acceptor().accept(end);
        server = new Caller(service.machine(), service.process(), service.home(), listener);
        for (ByteBuffer frame = early.poll(); frame != null; frame = early.poll()) {
            carry(true, frame);
        }
    }

    boolean isBetween(String one, String other) {
        return (caller.machine().equals(one) && host.equals(other))
                || (caller.machine().equals(other) && host.equals(one));
    }

    boolean isFrom(String from, String to) {
        return caller.machine().equals(from) && host.equals(to);
    }

    private final class End implements Network.Link {
        private final boolean ofCaller;

        End(boolean ofCaller) {
            this.ofCaller = ofCaller;
        }

        @Override
        public void send(ByteBuffer frame) {
            if (broken) {
                return;
            }
            ByteBuffer body = ByteBuffer.allocate(frame.remaining() - LENGTH_BYTES);
            body.put(frame.slice(frame.position() + LENGTH_BYTES, body.capacity())).flip();
            if (ofCaller && server == null) {
                early.add(body);
            } else {
                carry(ofCaller, body);
            }
        }

        @Override
        public void close() {
            breakNow(false, "closed");
        }
    }

    private void carry(boolean fromCaller, ByteBuffer body) {
        Direction direction = fromCaller ? outward : homeward;
        if (!direction.stuck.isEmpty() || !isOpen(fromCaller)) {
            direction.stuck.add(body);
            if (direction.stuck.size() == 1) {
                tryAgainLater(fromCaller, direction);
            }
            return;
        }
        Caller to = receiver(fromCaller);
        if (to == null) {
            return;
        }
        if (!to.process().isAlive()) {
            // Its machine does not know the connection any more, and says so.
            SimProcess sender = fromCaller ? caller.process() : serverProcess();
            world.schedule(
                    sender,
                    "reset",
                    delayNanos(fromCaller) + delayNanos(!fromCaller),
                    () -> breakNow(false, "connection reset"));
            return;
        }
        long arrival =
                Math.max(
                        direction.lastArrivalNanos,
                        world.clock().monotonicNanos() + delayNanos(fromCaller));
        direction.lastArrivalNanos = arrival;
        direction.underWay.add(body);
        world.schedule(
                to.process(),
                "frame",
                arrival - world.clock().monotonicNanos(),
                () -> deliver(direction, to));
    }

    private void deliver(Direction direction, Caller to) {
        ByteBuffer body = direction.underWay.poll();
        if (!broken && body != null) {
            to.home().run(() -> to.listener().received(body));
        }
    }

    private void tryAgainLater(boolean fromCaller, Direction direction) {
        // The machine's work, also while the process is paused.
        world.schedule(
                network.machines(),
                "send again",
                TRY_AGAIN_NANOS,
                () -> tryAgain(fromCaller, direction));
    }

    private void tryAgain(boolean fromCaller, Direction direction) {
        SimProcess sender = fromCaller ? caller.process() : serverProcess();
        if (broken || !sender.isAlive()) {
            return;
        }
        direction.tries++;
        if (direction.tries > TRIES) {
            breakNow(false, "timed out");
            return;
        }
        if (!isOpen(fromCaller)) {
            tryAgainLater(fromCaller, direction);
            return;
        }
        direction.tries = 0;
        ArrayDeque<ByteBuffer> frames = new ArrayDeque<>(direction.stuck);
        direction.stuck.clear();
        frames.forEach(frame -> carry(fromCaller, frame));
    }

    /// Both ways are needed: what is not confirmed is sent again.
    private boolean isOpen(boolean fromCaller) {
        String to = fromCaller ? host : caller.machine();
        String from = fromCaller ? caller.machine() : host;
        return network.ways().isOpen(from, to);
    }

    private long delayNanos(boolean fromCaller) {
        return fromCaller
                ? network.ways().delayNanos(caller.machine(), host)
                : network.ways().delayNanos(host, caller.machine());
    }

    private @Nullable Caller receiver(boolean fromCaller) {
        return fromCaller ? server : caller;
    }

    private SimProcess serverProcess() {
        Caller present = server;
        return present == null ? caller.process() : present.process();
    }

    boolean isOf(SimProcess process) {
        return caller.process().equals(process) || process.equals(callee);
    }

    void killed(SimProcess process) {
        Caller present = server;
        boolean callerDied = caller.process().equals(process);
        if (!isOf(process)) {
            return;
        }
        Caller other = callerDied ? present : caller;
        if (other == null) {
            end();
            return;
        }
        if (isOpen(callerDied)) {
            long delay = delayNanos(callerDied);
            world.schedule(
                    other.process(), "reset", delay, () -> breakNow(false, "connection reset"));
        }
        // Otherwise nobody tells: the other end finds out when it gets no answer.
    }

    /// Both ends learn of it, each in its time.
    void breakNow(boolean refused, String why) {
        if (broken) {
            return;
        }
        end();
        tell(caller, 0, refused, why);
        Caller present = server;
        if (present != null) {
            tell(present, straggle(present), false, why);
        }
    }

    /// What the caller has sent arrives yet, if it should. How long from now.
    private long straggle(Caller to) {
        if (!network.ways().straggles(caller.machine())) {
            return 0;
        }
        ArrayDeque<ByteBuffer> frames = new ArrayDeque<>(outward.underWay);
        frames.addAll(outward.stuck);
        long late = frames.isEmpty() ? 0 : network.ways().latenessNanos(LATEST_MILLIS);
        if (late > 0) {
            world.schedule(to.process(), "late frames", late, () -> deliverLate(frames, to));
        }
        return late;
    }

    private void deliverLate(ArrayDeque<ByteBuffer> frames, Caller to) {
        if (isOpen(true)) {
            network.straggled(frames.size());
            frames.forEach(frame -> to.home().run(() -> to.listener().received(frame)));
        }
    }

    private void end() {
        broken = true;
        network.forget(this);
    }

    private void tell(Caller end, long delayNanos, boolean refused, String why) {
        world.schedule(
                end.process(),
                "closed",
                delayNanos,
                () -> end.home().run(() -> end.listener().closed(refused, why)));
    }
}
