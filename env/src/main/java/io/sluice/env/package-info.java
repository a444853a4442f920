/// The only doors out of the pure code, as interfaces; settings.
@NullMarked
package io.sluice.env;

import org.jspecify.annotations.NullMarked;
