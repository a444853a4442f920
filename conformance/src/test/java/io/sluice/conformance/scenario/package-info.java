/// Programs that a test runs in a process of their own, because it will kill them.
@NullMarked
package io.sluice.conformance.scenario;

import org.jspecify.annotations.NullMarked;
