/// `sluice completion`: scripts that let a shell complete commands and options.
@NullMarked
package io.sluice.cli.completion;

import org.jspecify.annotations.NullMarked;
