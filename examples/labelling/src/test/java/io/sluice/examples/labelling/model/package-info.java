@NullMarked
package io.sluice.examples.labelling.model;

import org.jspecify.annotations.NullMarked;
