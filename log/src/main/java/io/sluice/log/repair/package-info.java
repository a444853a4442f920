/// Puts sound bytes in the place of damaged ones, from another copy of the same log.
///
/// Beside the path of a message: decided by the owner of the log, done by HOUSEKEEPING workers, fetched by whoever has a network.
/// Never trusts what it is given: every byte of the result is checked before it takes the old one's place.
@NullMarked
package io.sluice.log.repair;

import org.jspecify.annotations.NullMarked;
