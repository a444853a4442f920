/// What the example starts in its own process: database, broker, more relays, people who transfer money.
@NullMarked
package io.sluice.examples.transfer.local;

import org.jspecify.annotations.NullMarked;
