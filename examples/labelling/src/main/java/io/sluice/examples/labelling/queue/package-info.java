/// The way from the extraction to the worker: one message per document, through SQS or through the Kafka protocol.
@NullMarked
package io.sluice.examples.labelling.queue;

import org.jspecify.annotations.NullMarked;
