/// Backpressured listeners as annotated methods of Spring Boot applications.
///
/// [io.sluice.spring.SluiceListener] marks the methods. At start [io.sluice.spring.method.ListenerMethods] finds them,
/// [io.sluice.spring.settings.ListenerProperties] says how they run, and [io.sluice.spring.Listeners] makes one
/// [io.sluice.listener.Listener] of all methods with the same queue or topic. Nothing here is on the path of a message but the
/// conversion of its body.
@NullMarked
package io.sluice.spring;

import org.jspecify.annotations.NullMarked;
