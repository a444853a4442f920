/// That cuts cut and power losses lose; skipped with a message where the machine does not allow them.
@NullMarked
package io.sluice.chaos.place;

import org.jspecify.annotations.NullMarked;
