/// From a PDF to its text, where the document's function in the cloud stands: [io.sluice.examples.labelling.pdf.Extraction] does it, [io.sluice.examples.labelling.pdf.Inbox] for a folder, [io.sluice.examples.labelling.pdf.ExtractionFunction] for a bucket.
@NullMarked
package io.sluice.examples.labelling.pdf;

import org.jspecify.annotations.NullMarked;
