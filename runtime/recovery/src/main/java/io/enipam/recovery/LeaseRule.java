package io.enipam.recovery;

import io.enipam.recovery.SourceIndex.KernelState;
import io.enipam.recovery.SourceIndex.PodState;

/**
 * What becomes of a lease that was found in a damaged database, as far as it alone is concerned. The rule behind all lines:
 * a pod that may be using an address keeps it; an address that is freed is not lent for a while.
 *
 * <table>
 *   <caption>The lines</caption>
 *   <tr><th>database</th><th>kernel</th><th>pod</th><th>outcome</th></tr>
 *   <tr><td>any</td><td>attached with it</td><td>any</td><td>kept</td></tr>
 *   <tr><td>any</td><td>attached with another</td><td>any</td><td>moved: the sandbox has what it is connected with</td></tr>
 *   <tr><td>certain</td><td>not attached, or unknown</td><td>any</td><td>kept: its ADD comes again, or DEL or the collector
 *       ends it, as after any start</td></tr>
 *   <tr><td>may be stale</td><td>unknown</td><td>any</td><td>kept: the pod may be connected</td></tr>
 *   <tr><td>may be stale</td><td>not attached</td><td>runs</td><td>kept: its ADD may not have ended</td></tr>
 *   <tr><td>may be stale</td><td>not attached</td><td>unknown</td><td>kept</td></tr>
 *   <tr><td>may be stale</td><td>not attached</td><td>gone</td><td>released: three sources against none</td></tr>
 * </table>
 */
enum LeaseRule {
    CONNECTED(Fate.KEPT, "the sandbox is connected with it"),
    CONNECTED_ELSEWHERE(Fate.MOVED, "the sandbox is connected with another address"),
    PROVEN(Fate.KEPT, "the database is certain of it"),
    KERNEL_SILENT(Fate.KEPT, "in doubt: the kernel did not answer, the pod may be connected"),
    POD_RUNS(Fate.KEPT, "in doubt: the pod runs, its ADD may not have ended"),
    POD_UNKNOWN(Fate.KEPT, "in doubt: the pod may run"),
    NO_TRACE(Fate.RELEASED, "the lease may be stale, the sandbox is not connected, and the pod is gone");

    enum Fate {
        KEPT,
        MOVED,
        RELEASED
    }

    final Fate fate;
    final String why;

    LeaseRule(Fate fate, String why) {
        this.fate = fate;
        this.why = why;
    }

    static LeaseRule of(boolean certain, KernelState kernel, PodState pod) {
        if (kernel == KernelState.ATTACHED) {
            return CONNECTED;
        }
        if (kernel == KernelState.ELSEWHERE) {
            return CONNECTED_ELSEWHERE;
        }
        if (certain) {
            return PROVEN;
        }
        if (kernel == KernelState.UNKNOWN) {
            return KERNEL_SILENT;
        }
        return switch (pod) {
            case RUNS -> POD_RUNS;
            case UNKNOWN -> POD_UNKNOWN;
            case GONE -> NO_TRACE;
        };
    }
}
