@NullMarked
package io.sluice.spring.awspring;

import org.jspecify.annotations.NullMarked;
