/// Compat mode: the document's relay as written (claim, send, mark; instances share by MOD), with its holes closed.
///
/// Needs nothing but the document's table. What is `SENDING` has a lease, so that nothing gets stuck; claims and marks are one
/// statement each; sends are pipelined; wrong and disagreeing settings are noticed. Order per aggregate is not kept, as
/// before: that is what log mode is for. One thread per relay owns everything.
@NullMarked
package io.sluice.outbox.compat;

import org.jspecify.annotations.NullMarked;
