@NullMarked
package io.sluice.listener.thread;

import org.jspecify.annotations.NullMarked;
