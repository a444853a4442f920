@NullMarked
package io.sluice.log;

import org.jspecify.annotations.NullMarked;
