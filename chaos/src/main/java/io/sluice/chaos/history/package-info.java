/// What clients did and saw, in the order in which it was noted; the only thing that the checks look at.
@NullMarked
package io.sluice.chaos.history;

import org.jspecify.annotations.NullMarked;
