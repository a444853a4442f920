/// PDFs in a folder, their text in a queue, labels by a model in a database.
///
/// ```
///  folder ──▶ pdf (text extraction) ──▶ queue ──▶ worker ──▶ model ──▶ documents (PostgreSQL) ──▶ web (a page)
///                    └── broken, encrypted: a failure message ──▶ the row becomes FAILED
/// ```
@NullMarked
package io.sluice.examples.labelling;

import org.jspecify.annotations.NullMarked;
