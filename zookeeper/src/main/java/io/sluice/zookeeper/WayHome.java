package io.sluice.zookeeper;

import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the connection of a broker that runs a member of the ensemble back to that member.
///
/// While its own member was away, for it was cut off or copied the others' data, the broker has turned to another one. Left there, it would lose the store with that one's broker, just when it has to
/// decide who leads instead.
///
/// Owned by the store's thread.
final class WayHome {
    private static final Logger LOG = LoggerFactory.getLogger(WayHome.class);

    private final EnsembleConnection connection;
    private final BooleanSupplier ownServes;
    private boolean served;

    /// @param ownServes whether the own member answers clients
    WayHome(EnsembleConnection connection, BooleanSupplier ownServes) {
        this.connection = connection;
        this.ownServes = ownServes;
    }

    /// Now and then, while nothing is under way that would be in doubt without the connection. One that has served at two looks in a row is there to stay.
    void look() {
        boolean serves = !connection.isHome() && ownServes.getAsBoolean();
        if (serves && served) {
            LOG.info("Back to the own member of the ensemble");
            connection.goHome();
            served = false;
        } else {
            served = serves;
        }
    }
}
