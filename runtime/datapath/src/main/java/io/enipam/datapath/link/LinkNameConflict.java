package io.enipam.datapath.link;

import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;

/** Somebody else's link in the pod has the name that ours needs. */
public final class LinkNameConflict {
    private LinkNameConflict() {}

    /** That, as the caller is told it. */
    public static IpamException inPod(String link, AttachmentRecord record) {
        return new IpamException(
                ErrorCode.DATAPATH_FAILED,
                "the interface " + link + " is already present in " + record.netns() + " and is not enipam's",
                "another plugin made it: set another CNI_IFNAME, or remove that plugin from the network's list");
    }
}
