/**
 * Random lives of a node: a {@link io.enipam.engine.simulation.fuzz.Script} is a list of steps (ADDs, DELs, crashes, a disk, a cloud, an
 * API server and a kernel that fail), which a seed generates; a {@link io.enipam.engine.simulation.fuzz.Simulation} runs it in virtual
 * time against an engine and checks every invariant after each step; a {@link io.enipam.engine.simulation.fuzz.Shrinker} makes one that
 * breaks an invariant short. It imports the engine and its ports in memory. The engine's tests and the lab's program call it.
 */
@NullMarked
package io.enipam.engine.simulation.fuzz;

import org.jspecify.annotations.NullMarked;
