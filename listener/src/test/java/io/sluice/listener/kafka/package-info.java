@NullMarked
package io.sluice.listener.kafka;

import org.jspecify.annotations.NullMarked;
