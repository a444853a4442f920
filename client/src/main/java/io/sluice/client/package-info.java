/// Presets over kafka-clients: delivery and profile instead of forty settings.
@NullMarked
package io.sluice.client;

import org.jspecify.annotations.NullMarked;
