@NullMarked
package io.sluice.listener.lane;

import org.jspecify.annotations.NullMarked;
