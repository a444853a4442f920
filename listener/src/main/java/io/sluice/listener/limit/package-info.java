/// How many jobs a lane runs at once: fixed, or found while running, or measured by a calibration.
///
/// Beside the path of a message: a lane asks its limit how many slots there are, and tells it from time to time how the last
/// [io.sluice.listener.limit.Window] went. Pure: no threads, no clock.
@NullMarked
package io.sluice.listener.limit;

import org.jspecify.annotations.NullMarked;
