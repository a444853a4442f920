@NullMarked
package io.sluice.listener.once;

import org.jspecify.annotations.NullMarked;
