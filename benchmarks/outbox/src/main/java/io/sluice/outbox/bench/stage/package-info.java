/// Database, broker, contenders, load and the consumer that watches what arrives.
@NullMarked
package io.sluice.outbox.bench.stage;

import org.jspecify.annotations.NullMarked;
