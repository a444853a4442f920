@NullMarked
package io.sluice.log.state;

import org.jspecify.annotations.NullMarked;
