@NullMarked
package io.sluice.listener.guard;

import org.jspecify.annotations.NullMarked;
