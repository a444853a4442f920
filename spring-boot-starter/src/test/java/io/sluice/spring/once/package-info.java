@NullMarked
package io.sluice.spring.once;

import org.jspecify.annotations.NullMarked;
