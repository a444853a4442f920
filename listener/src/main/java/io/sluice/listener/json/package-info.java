/// Lanes by what a JSON body says.
///
/// At the beginning of a message's path, between a poll and its lane. Reads no further than the field.
@NullMarked
package io.sluice.listener.json;

import org.jspecify.annotations.NullMarked;
