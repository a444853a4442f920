/// `sluice demo`: traffic to look at.
@NullMarked
package io.sluice.cli.demo;

import org.jspecify.annotations.NullMarked;
