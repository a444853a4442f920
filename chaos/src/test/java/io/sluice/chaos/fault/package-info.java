/// Faults that are done to a cluster which is only a script.
@NullMarked
package io.sluice.chaos.fault;

import org.jspecify.annotations.NullMarked;
