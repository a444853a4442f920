package io.sluice.controller;

import io.sluice.env.Clock;
import io.sluice.env.Coordination;
import io.sluice.env.Entropy;
import io.sluice.env.Mailbox;
import java.util.List;

/// What a controller reaches the world by. Immutable.
///
/// @param owner on whose thread everything of the controller happens
/// @param shards owners of partitions, to whom changes of the plan are posted
public record ControllerDoors(
        Coordination store,
        Clock clock,
        Entropy entropy,
        Mailbox owner,
        List<Mailbox> shards,
        Probe probe) {}
