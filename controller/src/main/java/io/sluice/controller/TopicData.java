package io.sluice.controller;

import io.sluice.env.Reply;
import java.util.UUID;

/// The data behind the plans, as far as the controller must know of it.
public interface TopicData {
    /// Takes the partitions of a deleted topic out of service, their files out of the way and the groups' offsets out of their memory, so that a new topic
    /// of the same name starts empty. Idempotent: it is asked again after a crash. The reply completes on the controller's mailbox.
    Reply<Integer> retire(String topic, UUID id, int partitions);
}
