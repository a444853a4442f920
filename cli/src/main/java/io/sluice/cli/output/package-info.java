/// The one renderer: every command hands over values, listings or streams of rows, and `-o` decides how they look.
///
/// Knows nothing of Kafka. Tables are for people (units, local time, aligned columns, colours on a terminal); json, jsonl
/// and yaml are for programs (plain numbers, UTC, stable keys); `name` is for the next command in the pipe.
@NullMarked
package io.sluice.cli.output;

import org.jspecify.annotations.NullMarked;
