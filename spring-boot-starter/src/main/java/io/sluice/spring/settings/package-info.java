/// What the properties say: [io.sluice.spring.settings.ListenerProperties] is what people write,
/// [io.sluice.spring.settings.LanePlan] what follows from it for one lane, checked against everything else that was said.
///
/// Used once, at start. Values only.
@NullMarked
package io.sluice.spring.settings;

import org.jspecify.annotations.NullMarked;
