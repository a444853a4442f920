@NullMarked
package io.sluice.listener.trace;

import org.jspecify.annotations.NullMarked;
