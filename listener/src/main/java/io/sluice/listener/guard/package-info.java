/// Looks at the machine, so that an adaptive limit goes down before memory or CPU are gone.
///
/// Beside the path of a message; asked once a second by the listener's limit driver. Reads files of the operating system and the JVM's own
/// figures, decides nothing about lanes.
@NullMarked
package io.sluice.listener.guard;

import org.jspecify.annotations.NullMarked;
