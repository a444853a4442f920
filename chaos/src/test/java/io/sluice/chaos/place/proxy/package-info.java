/// Tests of the proxy that cuts.
@NullMarked
package io.sluice.chaos.place.proxy;

import org.jspecify.annotations.NullMarked;
