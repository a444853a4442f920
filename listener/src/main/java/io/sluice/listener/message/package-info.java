/// What a listener and a source say to each other: a [io.sluice.listener.message.Message], room for it
/// ([io.sluice.listener.message.Intake]), and how it ended ([io.sluice.listener.message.Settlement]).
///
/// Stands at both ends of the path: sources hand messages in, and hear at the end what became of them. Values and interfaces only;
/// it knows neither lanes nor any client library.
@NullMarked
package io.sluice.listener.message;

import org.jspecify.annotations.NullMarked;
