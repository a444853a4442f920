@NullMarked
package io.sluice.listener.sqs;

import org.jspecify.annotations.NullMarked;
