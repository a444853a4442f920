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
            String all = stripper.getText(document).strip();
            String text = sendable(all.substring(0, Math.min(all.length(), MOST_CHARACTERS)));
            if (text.isBlank()) {
                return new Extracted.Failure("There is no text in it, only pictures.");
            }
            return new Extracted.Text(text, document.getNumberOfPages());
        } catch (InvalidPasswordException e) {
            return new Extracted.Failure("It is encrypted, and nobody has told the password.");
        } catch (IOException | RuntimeException e) {
            // Damaged files make the parser fail in many ways.
            return new Extracted.Failure(sendable("It is damaged: " + e.getMessage()));
        } catch (StackOverflowError e) {
            return new Extracted.Failure("It is damaged: its parts are nested without end.");
        }
    }

    /// Damaged fonts yield characters that neither a queue (SQS SendMessage: those of XML) nor a database takes.
    static String sendable(String text) {
        return text.codePoints()
                .filter(Extraction::isSendable)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isSendable(int character) {
        boolean control = character < ' ';
        boolean blank = character == '\t' || character == '\n' || character == '\r';
        boolean halfACharacter = character >= 0xD800 && character <= 0xDFFF;
        boolean none = character == 0xFFFE || character == 0xFFFF;
        return (!control || blank) && !halfACharacter && !none;
    }
}
