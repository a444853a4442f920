package io.sluice.cli.output;

import java.io.PrintStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Rows that are printed as they come, for commands whose end is not near.
///
/// Whatever the format, the output is well-formed once the stream is closed, even if no row came.
///
/// Owned by the thread that prints.
public abstract sealed class RowStream implements AutoCloseable {
    private final PrintStream out;

    private RowStream(PrintStream out) {
        this.out = out;
    }

    public abstract void row(Fields row);

    @Override
    public abstract void close();

    /// Brings what was printed to the reader.
    ///
    /// @return false when there is no reader any more (`| head` has seen enough)
    public boolean flush() {
        return !out.checkError();
    }

    static RowStream of(
            Format format, Listing shape, PrintStream out, HumanText human, Colors colors) {
        return switch (format) {
            case table -> new TableStream(shape.columns(), out, human, colors);
            case json -> new JsonArray(out);
            case jsonl -> new Lines(out, null);
            case yaml -> new YamlSequence(out);
            case name -> new Lines(out, shape.nameKey());
        };
    }

    private static final class TableStream extends RowStream {
        private final PrintStream out;
        private final Table table;
        private final int[] widths;
        private boolean @Nullable [] rightAligned;

        TableStream(List<Column> columns, PrintStream out, HumanText human, Colors colors) {
            super(out);
            this.out = out;
            this.table = new Table(columns, human, colors);
            this.widths = table.headingWidths();
        }

        @Override
        public void row(Fields row) {
            boolean[] right = rightAligned;
            if (right == null) {
                right = table.rightAligned(List.of(row));
                rightAligned = right;
                table.printHeadings(right, widths, out);
            }
            table.printRow(row, right, widths, out);
        }

        @Override
        public void close() {}
    }

    private static final class JsonArray extends RowStream {
        private final PrintStream out;
        private boolean empty = true;

        JsonArray(PrintStream out) {
            super(out);
            this.out = out;
        }

        @Override
        public void row(Fields row) {
            out.print(empty ? "[\n  " : ",\n  ");
            out.print(JsonText.pretty(row, 1));
            empty = false;
        }

        @Override
        public void close() {
            out.println(empty ? "[]" : "\n]");
        }
    }

    private static final class YamlSequence extends RowStream {
        private final PrintStream out;
        private boolean empty = true;

        YamlSequence(PrintStream out) {
            super(out);
            this.out = out;
        }

        @Override
        public void row(Fields row) {
            out.print(YamlText.document(Value.items(List.of(row))));
            empty = false;
        }

        @Override
        public void close() {
            if (empty) {
                out.println("[]");
            }
        }
    }

    /// jsonl, and the names.
    private static final class Lines extends RowStream {
        private final PrintStream out;
        private final @Nullable String nameKey;

        Lines(PrintStream out, @Nullable String nameKey) {
            super(out);
            this.out = out;
            this.nameKey = nameKey;
        }

        @Override
        public void row(Fields row) {
            out.println(nameKey == null ? JsonText.compact(row) : Printer.name(row.value(nameKey)));
        }

        @Override
        public void close() {}
    }
}
