/// A listener that takes what it can work on, and finds its own limit.
///
/// [io.sluice.listener.Listener] puts the rooms together: a source, lanes with their limits, what happens on failure. Start there,
/// or with the walk of a message in the module's README.
@NullMarked
package io.sluice.listener;

import org.jspecify.annotations.NullMarked;
