@NullMarked
package io.sluice.spring;

import org.jspecify.annotations.NullMarked;
