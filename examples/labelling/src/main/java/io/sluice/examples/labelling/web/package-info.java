/// A page that shows all of it live.
@NullMarked
package io.sluice.examples.labelling.web;

import org.jspecify.annotations.NullMarked;
