/// Settings with their name, default, bound and sentence on one line; reference pages and `DescribeConfigs` are made from them.
///
/// Pure. A module's settings are a record with a `from(Settings)`; nothing keeps raw text behind it.
@NullMarked
package io.sluice.settings;

import org.jspecify.annotations.NullMarked;
