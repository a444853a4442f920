/// What can happen to a cluster: each fault begins, lasts, is healed, and says in one line what it did to whom.
@NullMarked
package io.sluice.chaos.fault;

import org.jspecify.annotations.NullMarked;
