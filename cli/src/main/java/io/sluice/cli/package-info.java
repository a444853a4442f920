/// The sluice command.
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;
