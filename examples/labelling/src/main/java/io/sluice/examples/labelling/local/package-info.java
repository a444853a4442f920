/// What runs in this process unless the settings say where the real ones are: a PostgreSQL and an SQS endpoint; and documents to play with.
@NullMarked
package io.sluice.examples.labelling.local;

import org.jspecify.annotations.NullMarked;
