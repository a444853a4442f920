/// `sluice send` and `sluice tail`: messages in and out, as bytes; text, JSON and base64 are only ways to write them down.
@NullMarked
package io.sluice.cli.message;

import org.jspecify.annotations.NullMarked;
