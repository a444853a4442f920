/// Looks at a partition's folder without changing anything, for `sluice log dump|verify`.
///
/// Takes no lock and trusts nothing: works on a folder that a broker has open, or that one refuses to open.
@NullMarked
package io.sluice.log.inspect;

import org.jspecify.annotations.NullMarked;
