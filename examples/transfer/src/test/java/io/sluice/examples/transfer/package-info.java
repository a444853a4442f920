/// The whole example, as a user starts it.
@NullMarked
package io.sluice.examples.transfer;

import org.jspecify.annotations.NullMarked;
