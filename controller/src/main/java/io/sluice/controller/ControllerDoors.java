package io.sluice.controller;

import io.sluice.env.Clock;
import io.sluice.env.Coordination;
import io.sluice.env.Entropy;
import io.sluice.env.Mailbox;

/// What a controller reaches the world by. Immutable.
///
/// @param owner on whose thread everything of the controller happens
public record ControllerDoors(
        Coordination store, Clock clock, Entropy entropy, Mailbox owner, Probe probe) {}
