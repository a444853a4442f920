package io.sluice.kafka.api.cluster;

import io.sluice.controller.TopicPlan;

/// In which epoch a partition is led. On a single node: the number of this start, since every start is a new leadership.
public interface LeaderEpochSource {
    int leaderEpoch(TopicPlan topic, int partition);
}
