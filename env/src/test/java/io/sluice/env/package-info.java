/// What every implementation of a door must do, as tests that the real and the simulated doors both run.
@NullMarked
package io.sluice.env;

import org.jspecify.annotations.NullMarked;
