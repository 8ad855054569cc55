package io.enipam.recovery;

import java.time.Instant;
import java.util.List;

/**
 * The leases that a recovery may lose: commits are missing from the database, and the kernel does not tell which pods they were
 * about.
 *
 * @param ended leases that were found and end, each with its pod and its address
 * @param doubtful addresses that a missing commit may have lent
 * @param uncounted whether there may be others, of addresses that are unknown because the cloud did not answer
 * @param silence why the kernel does not tell
 * @param until when these addresses may be lent again
 */
public record Loss(List<String> ended, List<String> doubtful, boolean uncounted, String silence, Instant until) {
    /** As many as a line has room for; the table of the decisions has all. */
    private static final int NAMED = 20;

    public Loss {
        ended = List.copyOf(ended);
        doubtful = List.copyOf(doubtful);
    }

    /** Whether no pod can lose anything. */
    public boolean isEmpty() {
        return ended.isEmpty() && doubtful.isEmpty() && !uncounted;
    }

    /** How many there are at most, and which, in one line without a full stop. */
    public String words() {
        int most = ended.size() + doubtful.size();
        StringBuilder words =
                new StringBuilder(most == 0 ? "leases" : "up to " + most + (most == 1 ? " lease" : " leases"));
        words.append(" may be lost, as ").append(silence);
        if (!ended.isEmpty()) {
            words.append("; ended: ").append(named(ended));
        }
        if (!doubtful.isEmpty()) {
            words.append("; possibly lent by a commit that is missing: ").append(named(doubtful));
        }
        if (most > 0) {
            words.append("; no pod gets these addresses before ").append(until);
        }
        if (uncounted) {
            words.append("; the cloud did not answer either, so that no other address can be kept aside");
        }
        return words.toString();
    }

    private static String named(List<String> all) {
        String first = String.join(", ", all.subList(0, Math.min(NAMED, all.size())));
        return all.size() <= NAMED ? first : first + " and " + (all.size() - NAMED) + " more";
    }
}
