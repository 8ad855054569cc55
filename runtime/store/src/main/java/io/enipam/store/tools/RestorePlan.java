package io.enipam.store.tools;

import io.enipam.engine.model.Lease;
import java.util.List;

/**
 * What a restore changes.
 *
 * @param records in the file
 * @param kept leases that are in force and in the file
 * @param lost leases that are in force and would not be any more, ordered by owner
 * @param returning leases of the file that are not in force: of pods that may be gone, which garbage collection ends
 * @param leftOut operations of the cloud in the file that are not pending any more; those pending now stay
 * @param otherNode whether the file is another node's
 */
public record RestorePlan(
        FileHeader header, long records, int kept, List<Lost> lost, int returning, int leftOut, boolean otherNode) {
    public RestorePlan {
        lost = List.copyOf(lost);
    }

    /**
     * A lease in force that the file does not have.
     *
     * @param why what the file has instead, in a few words
     */
    public record Lost(Lease lease, String why) {}
}
