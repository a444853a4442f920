/// A real broker inside a test's own JVM: the same code as in production, on a free port, with data that goes away with it.
///
/// [io.sluice.testing.Sluice] starts one by hand, [io.sluice.testing.SluiceExtension] for a JUnit test class.
@NullMarked
package io.sluice.testing;

import org.jspecify.annotations.NullMarked;
