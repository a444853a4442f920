/// The cluster plan: topics, partitions, their settings.
@NullMarked
package io.sluice.controller;

import org.jspecify.annotations.NullMarked;
