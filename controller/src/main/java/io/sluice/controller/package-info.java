/// The cluster's plan: which brokers there are, which topics, where replicas are and who leads.
///
/// Decisions are pure or own nothing but their memory ([io.sluice.controller.TopicPlanner], [io.sluice.controller.Elections], [io.sluice.controller.Office] and its machines): the present
/// [io.sluice.controller.ClusterView] in, changes of the metadata store or a refusal out; time comes in with the call. [io.sluice.controller.ControllerDriver] carries them out, one commit after the other, on one owner's
/// thread, and publishes the new view, which everybody else only reads. Nothing here knows partitions' data, sockets or files.
@NullMarked
package io.sluice.controller;

import org.jspecify.annotations.NullMarked;
