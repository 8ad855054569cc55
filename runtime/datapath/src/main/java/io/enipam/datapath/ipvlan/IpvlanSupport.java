package io.enipam.datapath.ipvlan;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.iproute.Runner;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether the kernel has ipvlan, found out by asking it for a slave of the loopback: a kernel that has it refuses that for another
 * reason, after loading the module where it is one. A yes is remembered; a no is asked again, so that a module that somebody
 * loads is found. Thread-safe.
 */
final class IpvlanSupport {
    private static final String TRIAL = "enipam-trial";

    private final AtomicBoolean known = new AtomicBoolean();

    /** @throws IpamException if it has not, with what to do */
    void check(Runner runner) {
        if (known.get()) {
            return;
        }
        try {
            runner.run(Batch.here().ip("link add link lo name " + TRIAL + " type ipvlan mode l2"));
            runner.run(Batch.here().ipIfThere("link del dev " + TRIAL));
        } catch (CommandFailedException e) {
            if (e.answer().contains("Unknown device type") || e.answer().contains("not supported")) {
                throw new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "the network's eniip_virtual_type is IPVlan, and this kernel has no ipvlan: " + e.answer(),
                        "take a kernel with CONFIG_IPVLAN (modprobe ipvlan), or set eniip_virtual_type to Veth in the"
                                + " network's conflist",
                        e);
            }
        }
        known.set(true);
    }
}
