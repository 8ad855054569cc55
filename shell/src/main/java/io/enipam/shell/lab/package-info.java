/** Replays of a node's pods with other settings and policies: {@code lab}. The program {@code enipam-lab} computes them. */
@NullMarked
package io.enipam.shell.lab;

import org.jspecify.annotations.NullMarked;
