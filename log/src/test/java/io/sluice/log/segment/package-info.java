@NullMarked
package io.sluice.log.segment;

import org.jspecify.annotations.NullMarked;
