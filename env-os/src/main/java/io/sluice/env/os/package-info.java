/// The real doors: files, threads, clocks, the local metadata store.
///
/// Production implementations of `env`, each behind its interface and under the same contract tests as its simulated
/// twin. Everything here may block; nothing here decides anything about messages. No thread that touches a file is ever
/// interrupted: Java closes a file channel under an interrupted thread, and with it the file for everybody else.
@NullMarked
package io.sluice.env.os;

import org.jspecify.annotations.NullMarked;
