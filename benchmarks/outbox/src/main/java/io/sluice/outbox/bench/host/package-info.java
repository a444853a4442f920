/// What runs in processes of its own: broker, relays, the document's designs. They talk to the bench in lines.
@NullMarked
package io.sluice.outbox.bench.host;

import org.jspecify.annotations.NullMarked;
