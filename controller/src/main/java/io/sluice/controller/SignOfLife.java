package io.sluice.controller;

/// What a broker says to the controller again and again. Immutable.
///
/// @param epoch of the broker's registration
/// @param wantsToStop hand over what it leads; the answer comes when that is done
/// @param reachesStore whether it can reach the metadata store, without which it cannot take anybody's place
/// @param diskFull whether its data disk has refused messages for want of room, and has none yet. Brokers of a former version never say so
public record SignOfLife(
        int broker, long epoch, boolean wantsToStop, boolean reachesStore, boolean diskFull) {}
