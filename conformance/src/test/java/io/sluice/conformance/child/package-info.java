/// Clients that need a process, a class path or a language of their own.
@NullMarked
package io.sluice.conformance.child;

import org.jspecify.annotations.NullMarked;
