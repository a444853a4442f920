/// Histories written by hand, each with one broken promise that its check must find.
@NullMarked
package io.sluice.chaos.check;

import org.jspecify.annotations.NullMarked;
