/// `sluice log`: looks into a data directory on disk, without a broker and without changing anything.
@NullMarked
package io.sluice.cli.log;

import org.jspecify.annotations.NullMarked;
