/// A broker in the JVM, and a JUnit extension.
@NullMarked
package io.sluice.testing;

import org.jspecify.annotations.NullMarked;
