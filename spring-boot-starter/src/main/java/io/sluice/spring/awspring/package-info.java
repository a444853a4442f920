/// For those who stay on Spring Cloud AWS and its `@SqsListener`: slots that are neither lost nor left idle, as far as that library lets
/// somebody else decide.
///
/// Inside of its listener containers, in place of its own back-pressure handler and in front of the application's executor. Knows nothing
/// of Sluice's own listeners.
@NullMarked
package io.sluice.spring.awspring;

import org.jspecify.annotations.NullMarked;
