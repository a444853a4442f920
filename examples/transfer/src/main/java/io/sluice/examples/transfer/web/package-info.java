/// The service's interface.
@NullMarked
package io.sluice.examples.transfer.web;

import org.jspecify.annotations.NullMarked;
