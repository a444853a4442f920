/// How durations, sizes, times and places in a topic are written on the command line.
@NullMarked
package io.sluice.cli.argument;

import org.jspecify.annotations.NullMarked;
