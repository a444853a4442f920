package io.sluice.spring;

import io.sluice.listener.message.Source;
import io.sluice.spring.settings.SourceProperties;

/// Makes the source of a listener. There is one for queues and one for topics, as far as their clients are there.
///
/// Thread-safe.
interface SourceOpener {
    /// Whether it opens queues; otherwise topics.
    boolean queues();

    Source open(String address, SourceProperties said);
}
