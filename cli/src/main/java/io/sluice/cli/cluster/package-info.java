/// `sluice cluster`: who the brokers are and what they can do.
@NullMarked
package io.sluice.cli.cluster;

import org.jspecify.annotations.NullMarked;
