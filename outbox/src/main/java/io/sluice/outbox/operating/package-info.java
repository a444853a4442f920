/// For the people who run relays: what is there, what waits, and what to do about events that cannot be published.
///
/// Works on the tables alone, beside running relays and without them; the `sluice outbox` commands are made of it. Whatever it
/// changes it changes under the lane's row lock, so that it never meets a relay half-way.
@NullMarked
package io.sluice.outbox.operating;

import org.jspecify.annotations.NullMarked;
