/// The short run of the harness that is part of every build.
@NullMarked
package io.sluice.chaos;

import org.jspecify.annotations.NullMarked;
