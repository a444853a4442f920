/// The script `sluice` as a newcomer meets it: real shells, real processes, and machines that lack something.
@NullMarked
package io.sluice.conformance.launcher;

import org.jspecify.annotations.NullMarked;
