@NullMarked
package io.sluice.examples.labelling.pdf;

import org.jspecify.annotations.NullMarked;
