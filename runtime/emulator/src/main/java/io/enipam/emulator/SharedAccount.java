package io.enipam.emulator;

import io.enipam.emulator.cloud.SharedVSwitches;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.emulator.fault.ThrottleLimits.ThrottleWindows;

/**
 * What the clouds of one account have in common when each of them has the ENIs of one node alone: the flow control and the addresses
 * of the vSwitches. A cloud's work then does not grow with the number of the nodes.
 */
public record SharedAccount(ThrottleWindows windows, SharedVSwitches vswitches) {
    /** An account that has had no call yet. */
    public static SharedAccount of(ThrottleLimits limits) {
        return new SharedAccount(new ThrottleWindows(limits), new SharedVSwitches());
    }
}
