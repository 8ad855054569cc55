package io.enipam.engine.model;

import io.enipam.sdk.PodRef;
import java.util.Locale;

/**
 * Names for what a start-up knows by half: an address that a running pod has though no sandbox of its is known, and a
 * sandbox whose pod is unknown. Either gets a lease under a name made up here, so that its address is allocated to no
 * pod; the lease passes to the real sandbox, or the real pod, with the next ADD that names them, and ends with the pod.
 */
public final class PlaceholderPod {
    /** No runtime's network has this name; only placeholders use it. */
    private static final String NETWORK = "enipam.stand-in";

    private static final String NAMESPACE = "enipam-unknown-pods";
    private static final int LONGEST = 200;

    private PlaceholderPod() {}

    /** The placeholder owner for the sandbox of a pod. */
    public static OwnerKey of(Pod pod) {
        String name =
                pod.uid().isEmpty() ? pod.ref().namespace() + "_" + pod.ref().name() : pod.uid();
        String clean = name.replaceAll("[^A-Za-z0-9_.-]", "-");
        return new OwnerKey(NETWORK, "p" + clean.substring(0, Math.min(LONGEST, clean.length())), "eth0");
    }

    /** Whether an owner is no sandbox. */
    public static boolean is(OwnerKey owner) {
        return owner.network().equals(NETWORK);
    }

    public static PodRef podOf(OwnerKey owner) {
        String clean = owner.containerId().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "-");
        return new PodRef(NAMESPACE, "sandbox-" + clean.substring(0, Math.min(LONGEST, clean.length())) + "-x");
    }

    public static boolean is(PodRef pod) {
        return pod.namespace().equals(NAMESPACE);
    }
}
