/// Faults one after the other under load, and what came of them.
@NullMarked
package io.sluice.chaos.campaign;

import org.jspecify.annotations.NullMarked;
