/// A listener's figures for Micrometer.
///
/// Beside the path of a message: hears of each landing, and asks for the lanes' state when somebody looks.
@NullMarked
package io.sluice.listener.metrics;

import org.jspecify.annotations.NullMarked;
