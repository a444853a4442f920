@NullMarked
package io.sluice.listener.json;

import org.jspecify.annotations.NullMarked;
