/// Threads of the listener's own that nothing ends but who owns them.
///
/// Beside the path of a message; used by sources and by the listener's limit driver. Knows neither lanes nor any client library.
@NullMarked
package io.sluice.listener.thread;

import org.jspecify.annotations.NullMarked;
