package io.sluice.simulation.cluster;

/// What happens to a cluster between its start and the moment when everything is mended: the whims of a [Nemesis], or one story in particular.
interface Plot {
    /// What its cluster looks like, given what the seed has drawn.
    default ClusterShape shape(ClusterShape drawn) {
        return drawn;
    }

    /// Returns when it is over. Whatever it broke must be mended then, as far as a person would mend it.
    void play(Stage stage);
}
