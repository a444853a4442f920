/// A small money-transfer service: [io.sluice.examples.transfer.Transfers] moves money and writes the event in one transaction, relays publish it,
/// `fds` detects what is suspicious.
@NullMarked
package io.sluice.examples.transfer;

import org.jspecify.annotations.NullMarked;
