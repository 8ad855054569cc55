package io.enipam.store.tools;

import java.nio.file.Path;
import java.util.Set;

/**
 * What is to be restored, and what may be given up for it.
 *
 * @param file a backup or an export
 * @param shown what the file is called in messages
 * @param node who asks
 * @param dryRun whether only to say what would be changed
 * @param mayLose the owners whose leases may be lost
 * @param mayLoseAny whether all leases that the file does not have may be lost; those made after this call are kept all the
 *     same
 * @param otherNode whether the file may be another node's
 */
public record RestoreRequest(
        Path file,
        String shown,
        NodeName node,
        boolean dryRun,
        Set<String> mayLose,
        boolean mayLoseAny,
        boolean otherNode) {
    public RestoreRequest {
        mayLose = Set.copyOf(mayLose);
    }

    /** The same, asked by this node. */
    public RestoreRequest by(NodeName asking) {
        return new RestoreRequest(file, shown, asking, dryRun, mayLose, mayLoseAny, otherNode);
    }
}
