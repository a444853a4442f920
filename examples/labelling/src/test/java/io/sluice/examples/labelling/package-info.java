@NullMarked
package io.sluice.examples.labelling;

import org.jspecify.annotations.NullMarked;
