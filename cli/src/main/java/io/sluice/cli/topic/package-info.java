/// `sluice topic`: one class per verb, and what they share about topics.
@NullMarked
package io.sluice.cli.topic;

import org.jspecify.annotations.NullMarked;
