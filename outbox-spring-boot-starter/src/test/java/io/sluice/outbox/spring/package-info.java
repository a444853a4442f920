/// Tests with a real database and a real broker.
@NullMarked
package io.sluice.outbox.spring;

import org.jspecify.annotations.NullMarked;
