/// The real doors under the contracts, and what only they can show.
@NullMarked
package io.sluice.env.os;

import org.jspecify.annotations.NullMarked;
