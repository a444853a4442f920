/// Real clusters of processes, real clients, and everything that goes wrong; in the end, what was acknowledged must be there.
///
/// In reading order: [io.sluice.chaos.place] where brokers live, [io.sluice.chaos.cluster] the brokers, [io.sluice.chaos.load] what clients do,
/// [io.sluice.chaos.history] what they saw, [io.sluice.chaos.fault] what happens to them, [io.sluice.chaos.check] what must hold all the same, and
/// [io.sluice.chaos.campaign], which puts it together. Edge code: threads, processes and clocks are allowed; a broker's classes are not.
@NullMarked
package io.sluice.chaos;

import org.jspecify.annotations.NullMarked;
