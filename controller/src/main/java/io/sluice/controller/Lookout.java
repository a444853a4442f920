package io.sluice.controller;

import io.sluice.controller.Probe.Result;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks for brokers that have fallen silent: the controller for all others, the others for the controller. Owned by the controller's mailbox.
///
/// It goes on while the metadata store cannot be reached: a broker that dies often takes the leader of the store with it, and when there is a new one it should be known who is gone.
final class Lookout {
    private static final Logger LOG = LoggerFactory.getLogger(Lookout.class);

    private final ControllerDoors doors;
    private final Claiming claiming;
    private final Runnable found;

    /// @param found called when a look has shown something
    Lookout(ControllerDoors doors, Claiming claiming, Runnable found) {
        this.doors = doors;
        this.claiming = claiming;
        this.found = found;
    }

    /// Looks for whom it is time to look.
    ///
    /// @param office of this broker, if it has it
    void look(ClusterView seen, @Nullable Office office) {
        long now = now();
        if (office != null) {
            office.liveness().awake(now);
            for (int id : office.liveness().toLookAt(now)) {
                lookFor(seen.findRegistered(id), result -> looked(seen, id, office, result));
            }
            return;
        }
        claiming.awake(now);
        if (claiming.shouldLook(now)) {
            int controller = seen.controllerId();
            lookFor(
                    seen.findRegistered(controller),
                    result -> claiming.looked(controller, result, now()));
        }
    }

    /// When the next look is due.
    long nextAt(@Nullable Office office) {
        return office == null ? claiming.lookAt() : office.liveness().lookAt();
    }

    private void lookFor(@Nullable BrokerView broker, Consumer<Result> shown) {
        if (broker == null) {
            shown.accept(Result.SILENT); // Its session has ended: nobody knows where it would be.
            return;
        }
        doors.probe()
                .probe(broker, doors.owner())
                .then(result -> tell(shown, result), _ -> tell(shown, Result.SILENT));
    }

    private void tell(Consumer<Result> shown, Result result) {
        shown.accept(result);
        found.run();
    }

    private void looked(ClusterView seen, int id, Office office, Result result) {
        if (office.liveness().looked(id, seen.brokerEpoch(id), result, now())) {
            LOG.warn("Broker {} is gone: nobody listens there", id);
            office.lifeChanged();
        }
    }

    private long now() {
        return doors.clock().monotonicNanos();
    }
}
