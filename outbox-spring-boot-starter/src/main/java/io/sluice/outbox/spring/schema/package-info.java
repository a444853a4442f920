/// Makes the outbox's tables when the application starts, where that is wanted.
///
/// Runs once, before the relay, on the thread that starts the application.
@NullMarked
package io.sluice.outbox.spring.schema;

import org.jspecify.annotations.NullMarked;
