package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;

/// How a [BrokerCommand] ended. Immutable.
public sealed interface BrokerOutcome {
    record Done() implements BrokerOutcome {}

    record Refused(Reason reason, String sentence) implements BrokerOutcome {}
}
