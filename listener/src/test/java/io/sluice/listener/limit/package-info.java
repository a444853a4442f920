@NullMarked
package io.sluice.listener.limit;

import org.jspecify.annotations.NullMarked;
