package io.sluice.cli.output;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/// Rows in aligned columns, two blanks apart; numbers to the right. Wide characters count for two.
///
/// Owned by the thread that prints.
final class Table {
    private static final String GAP = "  ";

    private final List<Column> columns;
    private final HumanText human;
    private final Colors colors;

    Table(List<Column> columns, HumanText human, Colors colors) {
        this.columns = columns;
        this.human = human;
        this.colors = colors;
    }

    /// Prints all rows under their headings, as wide as the widest.
    void print(List<Fields> rows, PrintStream out) {
        int[] widths = headingWidths();
        for (Fields row : rows) {
            for (int i = 0; i < widths.length; i++) {
                String text = human.of(row.value(columns.get(i).key()));
                widths[i] = Math.max(widths[i], DisplayWidth.of(text));
            }
        }
        boolean[] rightAligned = rightAligned(rows);
        printHeadings(rightAligned, widths, out);
        for (Fields row : rows) {
            printRow(row, rightAligned, widths, out);
        }
    }

    int[] headingWidths() {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            Column column = columns.get(i);
            widths[i] = Math.max(column.width(), DisplayWidth.of(column.heading()));
        }
        return widths;
    }

    void printHeadings(boolean[] rightAligned, int[] widths, PrintStream out) {
        List<String> cells = new ArrayList<>();
        for (int i = 0; i < widths.length; i++) {
            String heading = columns.get(i).heading();
            cells.add(pad(heading, colors.heading(heading), widths[i], rightAligned[i]));
        }
        out.println(String.join(GAP, cells).stripTrailing());
    }

    /// A cell that is wider than its column pushes the rest of its row to the right.
    void printRow(Fields row, boolean[] rightAligned, int[] widths, PrintStream out) {
        var line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            Value value = row.value(columns.get(i).key());
            String text = human.of(value);
            boolean last = i == widths.length - 1;
            int width = last && !rightAligned[i] ? 0 : widths[i];
            line.append(i == 0 ? "" : GAP);
            line.append(pad(text, colors.value(value, text), width, rightAligned[i]));
        }
        out.println(line.toString().stripTrailing());
    }

    /// A column with numbers in it goes to the right, its gaps too.
    boolean[] rightAligned(List<Fields> rows) {
        boolean[] right = new boolean[columns.size()];
        for (Fields row : rows) {
            for (int i = 0; i < right.length; i++) {
                right[i] |= toTheRight(row.value(columns.get(i).key()));
            }
        }
        return right;
    }

    private static boolean toTheRight(Value value) {
        return switch (value) {
            case Value.Count _ -> true;
            case Value.Ordinal _ -> true;
            case Value.Decimal _ -> true;
            case Value.Bytes _ -> true;
            case Value.Span _ -> true;
            case Value.Text _ -> false;
            case Value.Time _ -> false;
            case Value.Flag _ -> false;
            case Value.State _ -> false;
            case Value.Absent _ -> false;
            case Value.Items _ -> false;
            case Fields _ -> false;
        };
    }

    private static String pad(String text, String coloured, int width, boolean right) {
        String blanks = " ".repeat(Math.max(0, width - DisplayWidth.of(text)));
        return right ? blanks + coloured : coloured + blanks;
    }
}
