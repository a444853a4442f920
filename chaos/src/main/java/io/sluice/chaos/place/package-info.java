/// Where brokers live: addresses that can be cut off from each other, and disks that can lose power.
@NullMarked
package io.sluice.chaos.place;

import org.jspecify.annotations.NullMarked;
