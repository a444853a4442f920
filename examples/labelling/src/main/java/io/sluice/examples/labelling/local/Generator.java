package io.sluice.examples.labelling.local;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.encryption.AccessPermission;
import org.apache.pdfbox.pdmodel.encryption.StandardProtectionPolicy;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts;

/// Makes PDFs to play with: of very different lengths, a tenth of them broken, encrypted or empty. The same seed makes the same documents.
///
/// Owned by the thread that calls.
public final class Generator {
    /// What documents are made of, by the label that fits them.
    private static final Map<String, List<String>> SENTENCES =
            new TreeMap<>(
                    Map.of(
                            "invoice",
                            List.of(
                                    "Please pay the amount of the invoice within thirty days.",
                                    "The total includes value added tax and shipping costs.",
                                    "Our bank account and the payment reference are printed below.",
                                    "Quantity, unit price and discount are listed per item."),
                            "contract",
                            List.of(
                                    "The parties agree to the terms and conditions of this agreement.",
                                    "Either party may terminate the contract with three months notice.",
                                    "Liability is limited to damage caused by gross negligence.",
                                    "This clause survives the termination of the agreement."),
                            "medical report",
                            List.of(
                                    "The patient was admitted with acute abdominal pain.",
                                    "Blood pressure and heart rate were within the normal range.",
                                    "The doctor prescribed antibiotics and a follow-up examination.",
                                    "The diagnosis was confirmed by a blood test and an X-ray."),
                            "curriculum vitae",
                            List.of(
                                    "She worked as a software engineer for five years.",
                                    "He holds a master's degree in mechanical engineering.",
                                    "Skills include project management, Java and public speaking.",
                                    "References from former employers are available on request."),
                            "recipe",
                            List.of(
                                    "Mix the flour with the butter and the sugar.",
                                    "Bake the cake in the oven for forty minutes.",
                                    "Season the soup with salt, pepper and fresh herbs.",
                                    "Chop the onions and fry them in olive oil.")));

    private static final int LINES_PER_PAGE = 45;

    private final Random random;
    private final int mostPages;

    public Generator(long seed) {
        this(seed, 60);
    }

    public Generator(long seed, int mostPages) {
        this.random = new Random(seed);
        this.mostPages = mostPages;
    }

    /// @param count how many; those that exist are written anew
    public void generate(Path folder, int count) throws IOException {
        Files.createDirectories(folder);
        for (int i = 0; i < count; i++) {
            switch (i % 10 == 9 ? (i / 10) % 3 : -1) {
                case 0 -> write(folder, "broken-%04d.pdf".formatted(i), broken());
                case 1 -> write(folder, "encrypted-%04d.pdf".formatted(i), encrypted());
                case 2 -> write(folder, "empty-%04d.pdf".formatted(i), empty());
                default -> writeGood(folder, i);
            }
        }
    }

    private void writeGood(Path folder, int number) throws IOException {
        List<String> labels = List.copyOf(SENTENCES.keySet());
        String label = labels.get(random.nextInt(labels.size()));
        // Most are short, a few very long, as documents are.
        int pages = (int) Math.min(mostPages, Math.ceil(Math.exp(random.nextGaussian() * 1.2)));
        write(
                folder,
                "%s-%04d.pdf".formatted(label.replace(' ', '-'), number),
                bytes(document(label, pages)));
    }

    private PDDocument document(String label, int pages) throws IOException {
        var document = new PDDocument();
        List<String> sentences = SENTENCES.getOrDefault(label, List.of());
        var font = new PDType1Font(Standard14Fonts.FontName.HELVETICA);
        for (int i = 0; i < pages; i++) {
            var page = new PDPage();
            document.addPage(page);
            try (var content = new PDPageContentStream(document, page)) {
                content.beginText();
                content.setFont(font, 11);
                content.setLeading(15);
                content.newLineAtOffset(60, 730);
                for (int line = 0; line < LINES_PER_PAGE; line++) {
                    content.showText(sentences.get(random.nextInt(sentences.size())));
                    content.newLine();
                }
                content.endText();
            }
        }
        return document;
    }

    private byte[] broken() throws IOException {
        byte[] whole = bytes(document("invoice", 2));
        return Arrays.copyOf(whole, 200);
    }

    private byte[] encrypted() throws IOException {
        PDDocument document = document("contract", 1);
        document.protect(new StandardProtectionPolicy("owner", "secret", new AccessPermission()));
        return bytes(document);
    }

    private static byte[] empty() throws IOException {
        var document = new PDDocument();
        document.addPage(new PDPage());
        return bytes(document);
    }

    private static byte[] bytes(PDDocument document) throws IOException {
        try (document;
                var out = new ByteArrayOutputStream()) {
            document.save(out);
            return out.toByteArray();
        }
    }

    /// Whoever looks into the folder sees whole files only.
    private static void write(Path folder, String name, byte[] pdf) throws IOException {
        Path part = folder.resolve(name + ".part");
        Files.write(part, pdf);
        Files.move(part, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
}
