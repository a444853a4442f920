/// Parts of a node on their own, in time that stands still.
@NullMarked
package io.sluice.node;

import org.jspecify.annotations.NullMarked;
