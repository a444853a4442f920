/// `sluice doctor`: looks for what usually goes wrong first, here and at the broker, and says how to mend it.
@NullMarked
package io.sluice.cli.doctor;

import org.jspecify.annotations.NullMarked;
