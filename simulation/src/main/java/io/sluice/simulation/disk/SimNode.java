package io.sluice.simulation.disk;

/// What a name on the simulated disk stands for.
sealed interface SimNode permits SimInode, SimDirectory {}
