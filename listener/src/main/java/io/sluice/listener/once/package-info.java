/// Effects that happen once, although messages come at least once: the effect and the note that it has happened are one transaction.
///
/// Around the work at the middle of a message's path; nothing else in the listener knows about it.
@NullMarked
package io.sluice.listener.once;

import org.jspecify.annotations.NullMarked;
