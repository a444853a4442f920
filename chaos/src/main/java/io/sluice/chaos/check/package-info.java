/// What must hold of a history, one class each. A check knows nothing of brokers: it is tested with histories written by hand.
@NullMarked
package io.sluice.chaos.check;

import org.jspecify.annotations.NullMarked;
