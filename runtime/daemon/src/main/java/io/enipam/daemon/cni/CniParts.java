package io.enipam.daemon.cni;

import io.enipam.daemon.kernel.NodeKernel;
import io.enipam.daemon.pods.NodePods;
import io.enipam.engine.IpamEngine;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * What the commands are served from.
 *
 * @param patience how long an ADD may wait, as it is configured now
 * @param simulates whether pods are simulated where the kernel is not to be changed: a sandbox does so, a node never
 */
public record CniParts(
        IpamEngine engine,
        NodePods pods,
        NodeKernel kernel,
        AddReadiness readiness,
        Supplier<Duration> patience,
        boolean simulates) {}
