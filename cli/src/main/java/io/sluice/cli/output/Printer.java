package io.sluice.cli.output;

import java.io.PrintStream;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/// Prints what a command found, as `-o` asks.
///
/// Owned by the thread that prints.
public final class Printer {
    private final PrintStream out;
    private final Format format;
    private final HumanText human;
    private final Colors colors;

    public Printer(PrintStream out, Format format, ZoneId zone, Colors colors) {
        this.out = out;
        this.format = format;
        this.human = new HumanText(zone);
        this.colors = colors;
    }

    public Format format() {
        return format;
    }

    public void print(Listing listing) {
        switch (format) {
            case table -> printTable(listing);
            case json -> out.println(JsonText.pretty(Value.items(listing.rows()), 0));
            case jsonl -> listing.rows().forEach(row -> out.println(JsonText.compact(row)));
            case yaml -> out.print(YamlText.document(Value.items(listing.rows())));
            case name ->
                    listing.rows().forEach(row -> out.println(name(row.value(listing.nameKey()))));
        }
        out.flush();
    }

    public void print(Details details) {
        switch (format) {
            case table -> printTable(details);
            case json -> out.println(JsonText.pretty(details.whole(), 0));
            case jsonl -> out.println(JsonText.compact(details.whole()));
            case yaml -> out.print(YamlText.document(details.whole()));
            case name -> out.println(HumanText.printable(details.name()));
        }
        out.flush();
    }

    /// Rows to come, shaped like `shape`, whose own rows are not printed.
    public RowStream stream(Listing shape) {
        return RowStream.of(format, shape, out, human, colors);
    }

    /// A name for the next command in a pipe: no grouping, no units.
    static String name(Value value) {
        return switch (value) {
            case Value.Text(String text) -> HumanText.printable(text);
            case Value.State(String text, _) -> HumanText.printable(text);
            case Value.Scalar scalar -> JsonText.scalar(scalar);
            case Value.Items _, Fields _ -> JsonText.compact(value);
        };
    }

    private void printTable(Listing listing) {
        if (!listing.rows().isEmpty()) {
            new Table(listing.columns(), human, colors).print(listing.rows(), out);
        }
    }

    private void printTable(Details details) {
        List<String> labels = new ArrayList<>();
        details.lines().forEach(line -> labels.add(line.heading() + ":"));
        int width = labels.stream().mapToInt(DisplayWidth::of).max().orElse(0);
        for (int i = 0; i < labels.size(); i++) {
            Value value = details.fields().value(details.lines().get(i).key());
            String text = human.of(value);
            String blanks = " ".repeat(width - DisplayWidth.of(labels.get(i)));
            out.println(colors.heading(labels.get(i)) + blanks + "  " + colors.value(value, text));
        }
        for (Details.Section section : details.sections()) {
            if (!section.listing().rows().isEmpty()) {
                out.println();
                if (!section.heading().isEmpty()) {
                    out.println(colors.heading(section.heading()));
                }
                printTable(section.listing());
            }
        }
    }
}
