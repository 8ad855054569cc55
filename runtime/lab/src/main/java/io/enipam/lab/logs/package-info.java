/**
 * Traces of what nodes and clusters wrote down: logs of containerd and of the kubelet, and events of pods. The files are as other programs
 * and cut-off disks left them: every line is bounded, and what cannot be used is counted, with the reason. It depends on the traces, the SDK
 * and Jackson alone; the lab's program calls it.
 */
@NullMarked
package io.enipam.lab.logs;

import org.jspecify.annotations.NullMarked;
