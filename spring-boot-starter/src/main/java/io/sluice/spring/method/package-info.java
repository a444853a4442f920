/// From an annotated method to work for a lane: found when its bean is made ([io.sluice.spring.method.ListenerMethods]), called for each
/// message ([io.sluice.spring.method.MethodWork]).
///
/// Called on the lane's threads. Knows neither sources nor limits.
@NullMarked
package io.sluice.spring.method;

import org.jspecify.annotations.NullMarked;
