/// The cluster plan: which topics there are, how many partitions, on which brokers, with which settings.
///
/// Decisions ([io.sluice.controller.TopicPlanner]) are pure: a command and the present [io.sluice.controller.ClusterView] in, changes of the
/// metadata store or a refusal out. [io.sluice.controller.Controller] carries them out, one after the other, on one owner's thread, and publishes the new view,
/// which everybody else only reads. Nothing here knows partitions' data, sockets or files.
@NullMarked
package io.sluice.controller;

import org.jspecify.annotations.NullMarked;
