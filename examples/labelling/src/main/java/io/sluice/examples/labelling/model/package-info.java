/// Labels by meaning: [io.sluice.examples.labelling.model.SentenceModel] turns text into vectors, [io.sluice.examples.labelling.model.Labeller] compares them with those of the labels.
@NullMarked
package io.sluice.examples.labelling.model;

import org.jspecify.annotations.NullMarked;
