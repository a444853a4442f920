/// Who is there: what a client asks before it does anything else.
@NullMarked
package io.sluice.kafka.api.cluster;

import org.jspecify.annotations.NullMarked;
