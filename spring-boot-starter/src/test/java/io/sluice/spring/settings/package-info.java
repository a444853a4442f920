@NullMarked
package io.sluice.spring.settings;

import org.jspecify.annotations.NullMarked;
