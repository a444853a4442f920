package io.sluice.examples.labelling.pdf;

import java.io.IOException;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.encryption.InvalidPasswordException;
import org.apache.pdfbox.text.PDFTextStripper;

/// Reads the text of a PDF. Whatever is wrong with the file is a result, not an exception: nobody can mend it by trying again.
///
/// Immutable.
public final class Extraction {
    /// A message holds one mebibyte, and a character takes up to three bytes in UTF-8, or six when JSON escapes it. The first so many characters say enough about what a
    /// document is.
    static final int MOST_CHARACTERS = 150_000;

    public Extracted extract(byte[] pdf) {
        try (PDDocument document = Loader.loadPDF(pdf)) {
            var stripper = new PDFTextStripper();
            String text = stripper.getText(document).strip();
            if (text.isEmpty()) {
                return new Extracted.Failure("There is no text in it, only pictures.");
            }
            return new Extracted.Text(
                    text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS),
                    document.getNumberOfPages());
        } catch (InvalidPasswordException e) {
            return new Extracted.Failure("It is encrypted, and nobody has told the password.");
        } catch (IOException | RuntimeException e) {
            // Damaged files make the parser fail in many ways.
            return new Extracted.Failure("It is damaged: " + e.getMessage());
        }
    }
}
