package io.sluice.controller;

import java.util.ArrayList;
import java.util.List;

/// Numbers of partitions as a short text: `0-5,7,9-99/3`, where a slash gives the step. Pure.
final class IndexRanges {
    private static final int WORTH_A_RANGE = 3;

    private IndexRanges() {}

    /// @param indexes ascending, not empty
    static String write(List<Integer> indexes) {
        StringBuilder text = new StringBuilder();
        int from = 0;
        while (from < indexes.size()) {
            int to = from + 1;
            int step = to < indexes.size() ? indexes.get(to) - indexes.get(from) : 1;
            while (to < indexes.size() && indexes.get(to) - indexes.get(to - 1) == step) {
                to++;
            }
            if (step != 1 && to - from < WORTH_A_RANGE) {
                to = from + 1;
            }
            text.append(text.isEmpty() ? "" : ",").append(indexes.get(from));
            if (to - from > 1) {
                text.append('-').append(indexes.get(to - 1));
                text.append(step == 1 ? "" : "/" + step);
            }
            from = to;
        }
        return text.toString();
    }

    static List<Integer> read(String text) {
        List<Integer> indexes = new ArrayList<>();
        for (String range : text.split(",", -1)) {
            int dash = range.indexOf('-');
            int slash = range.indexOf('/');
            int end = slash < 0 ? range.length() : slash;
            int from = Integer.parseInt(range.substring(0, dash < 0 ? end : dash));
            int to = dash < 0 ? from : Integer.parseInt(range.substring(dash + 1, end));
            int step = slash < 0 ? 1 : Integer.parseInt(range.substring(slash + 1));
            for (int index = from; index <= to; index += step) {
                indexes.add(index);
            }
        }
        return indexes;
    }
}
