package io.sluice.cli.output;

import java.util.ArrayList;
import java.util.List;

/// One thing in depth: labelled fields, then listings that belong to it.
///
/// @param name what `-o name` prints
/// @param lines what a table shows above the sections; programs get every field
///
/// Immutable.
public record Details(String name, List<Column> lines, Fields fields, List<Section> sections) {
    public Details {
        lines = List.copyOf(lines);
        sections = List.copyOf(sections);
    }

    /// A listing under its own key and heading.
    public record Section(String key, String heading, Listing listing) {}

    public static Details of(String name, List<Column> lines, Fields fields) {
        return new Details(name, lines, fields, List.of());
    }

    public Details with(String key, String heading, Listing listing) {
        List<Section> more = new ArrayList<>(sections);
        more.add(new Section(key, heading, listing));
        return new Details(name, lines, fields, more);
    }

    /// Everything as one object: the fields, and each section as an array.
    Fields whole() {
        Fields whole = fields;
        for (Section section : sections) {
            whole = whole.with(section.key(), Value.items(section.listing().rows()));
        }
        return whole;
    }
}
