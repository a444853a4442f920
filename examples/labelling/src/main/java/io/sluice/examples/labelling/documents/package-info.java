/// The rows: what became of each document.
@NullMarked
package io.sluice.examples.labelling.documents;

import org.jspecify.annotations.NullMarked;
