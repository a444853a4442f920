/// `sluice group`: consumer groups, how far behind they are in messages and in time, and moving them.
@NullMarked
package io.sluice.cli.group;

import org.jspecify.annotations.NullMarked;
