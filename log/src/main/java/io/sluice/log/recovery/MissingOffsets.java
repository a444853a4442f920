package io.sluice.log.recovery;

import io.sluice.log.segment.Damage;
import org.jspecify.annotations.Nullable;

/// Offsets that were durable here and are in no file any more: somebody has deleted files, or a disk has lost them. Immutable.
///
/// A log goes on behind them, so that no offset is given twice; whoever can get them from another replica must not claim to have them.
///
/// @param damage what a person is told of it; null when a segment tells it, whose file ends too early
public record MissingOffsets(long from, long to, @Nullable Damage damage) {}
