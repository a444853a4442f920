/// Work of annotated methods that happens once: [io.sluice.spring.once.SpringOnceStore] notes what has been done in the transaction that does it.
///
/// Around the work, on the lane's threads. Needs spring-jdbc.
@NullMarked
package io.sluice.spring.once;

import org.jspecify.annotations.NullMarked;
