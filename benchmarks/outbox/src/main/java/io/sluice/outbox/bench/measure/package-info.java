/// One class per measure. Each sets up a scene, runs a contender on it, and adds readings.
@NullMarked
package io.sluice.outbox.bench.measure;

import org.jspecify.annotations.NullMarked;
