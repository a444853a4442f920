/// Administration of topics: creating, growing, configuring, deleting, looking into them.
@NullMarked
package io.sluice.kafka.api.topics;

import org.jspecify.annotations.NullMarked;
