@NullMarked
package io.sluice.zookeeper;

import org.jspecify.annotations.NullMarked;
