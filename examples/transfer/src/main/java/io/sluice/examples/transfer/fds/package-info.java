/// Fraud detection: a consumer of the transfers' topic, with rules and a table of alerts. Shares nothing with the transfers but the topic.
@NullMarked
package io.sluice.examples.transfer.fds;

import org.jspecify.annotations.NullMarked;
