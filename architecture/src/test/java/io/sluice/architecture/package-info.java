/// Keeps ARCHITECTURE.md true: who may see whom, what pure code may touch, how things may be called.
@NullMarked
package io.sluice.architecture;

import org.jspecify.annotations.NullMarked;
