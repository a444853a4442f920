@NullMarked
package io.sluice.listener;

import org.jspecify.annotations.NullMarked;
