package io.enipam.sdk;

import java.util.Map;

/**
 * A part that answers CNI calls by itself, as an IPAM plugin's program does: it gets a call as it came, and what it answers
 * is what the caller gets, errors and their codes included. A call comes here when it was made by {@code enipam-ipam}, or when its
 * network names the extension as {@code ipam.allocator}.
 */
public interface CniService extends Part {
    /**
     * Answers one call. Has 100 s on a thread of the plugin's; calls come at once, also those of one container.
     *
     * @throws RuntimeException whatever is thrown counts as a failure of the plugin; the caller gets CNI code 11 or 999
     */
    CniAnswer serve(CniCall call);

    /**
     * Takes back what a grant that it has listed ({@link Transaction#granted}) gave, since the pod is gone. Has 100 s on a thread of the plugin's.
     *
     * @return whether the owner still had exactly that, and has it no more: it is listed no more then
     */
    default boolean release(Grant grant) {
        return false;
    }

    /** A call of a container runtime or of another plugin. Immutable. */
    interface CniCall {
        /** The variables whose names begin with {@code CNI_}. */
        Map<String, String> environment();

        /** Standard input: the network configuration, of at most 16 MiB; empty text if there was none. */
        String configuration();
    }

    /**
     * What the caller gets.
     *
     * @param status the exit status, 0 for success
     * @param stdout a result, a CNI error, or nothing
     * @param stderr for people; most often nothing
     */
    record CniAnswer(int status, String stdout, String stderr) {
        public CniAnswer {
            if (status < 0 || status > 255) {
                throw new IllegalArgumentException("an exit status is 0 to 255, got " + status);
            }
        }
    }
}
