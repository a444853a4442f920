/// The broker under test: started, stopped and killed as an operating-system process, or one that is already running somewhere.
@NullMarked
package io.sluice.conformance.broker;

import org.jspecify.annotations.NullMarked;
