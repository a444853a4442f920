@NullMarked
package io.sluice.listener.failure;

import org.jspecify.annotations.NullMarked;
