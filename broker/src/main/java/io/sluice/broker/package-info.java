/// The broker put together: configuration, wiring by hand in start order, metrics, admin HTTP.
///
/// [io.sluice.broker.Main] reads the command line, [io.sluice.broker.Broker] starts and stops everything in one place, top to bottom. Nothing depends on this package but tests and `testing`.
@NullMarked
package io.sluice.broker;

import org.jspecify.annotations.NullMarked;
