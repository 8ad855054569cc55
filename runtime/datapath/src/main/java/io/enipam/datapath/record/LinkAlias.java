package io.enipam.datapath.record;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What the kernel itself remembers of a link, so that it is known whose it is when all files are lost:
 * {@code enipam:NETWORK/CONTAINER/IFNAME}, then {@code ,NAMESPACE/NAME,UID} of the pod if there is room.
 *
 * @param owner whose it is
 * @param pod its pod, if it was told
 * @param podUid the pod's UID, or empty text
 */
public record LinkAlias(OwnerKey owner, Optional<PodRef> pod, String podUid) {
    /** How many bytes the kernel keeps (IFALIASZ, less the one that ends the text). */
    public static final int MOST = 255;

    private static final String OURS = "enipam:";
    private static final Pattern UID = Pattern.compile("[A-Za-z0-9-]{1,64}");

    /** The text; without the pod if that is too long with it. */
    public String text() {
        String alone = OURS + owner;
        String uid = UID.matcher(podUid).matches() ? podUid : "";
        String whole = pod.map(of -> alone + "," + of + "," + uid).orElse(alone);
        return whole.length() <= MOST ? whole : alone;
    }

    /** Whether the kernel can remember the owner at all. */
    public boolean fits() {
        return OURS.length() + owner.toString().length() <= MOST;
    }

    /** Reads an alias; empty for one that is not ours. */
    public static Optional<LinkAlias> parse(String text) {
        if (!text.startsWith(OURS)) {
            return Optional.empty();
        }
        String[] parts = text.substring(OURS.length()).split(",", -1);
        try {
            OwnerKey owner = OwnerKey.parse(parts[0]);
            if (parts.length < 3) {
                return Optional.of(new LinkAlias(owner, Optional.empty(), ""));
            }
            return Optional.of(new LinkAlias(owner, Optional.of(PodRef.parse(parts[1])), parts[2]));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
