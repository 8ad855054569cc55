package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.sdk.ResourceFactory;
import java.util.List;

/** A factory on this instance's ENIs. Thread-safe; no method blocks. */
public sealed interface CloudFactory extends ResourceFactory permits EniIpFactory, EniFactory {
    /** The ENIs in its book, for inspection. */
    EniDirectory directory();

    /** Deletes what this factory left behind in the cloud, on demand. */
    EniSweeper sweeper();

    /** Sweeps a while after the start, and then every hour. */
    void scheduleSweeps();

    /**
     * Makes its next ENIs elsewhere. Those there are stay where they are.
     *
     * @param vswitches described just now, in order of preference, at least one
     */
    void setVSwitches(List<VSwitch> vswitches, VSwitchPolicy policy);

    /** What becomes of ENIs that another actor takes off the instance while addresses of them are in use, from now on. */
    void setLostEniPolicy(LostEniPolicy policy);

    /**
     * Serves no more, while others on the instance go on: ENIs on their way are followed to their end, and attached ones that
     * nobody has an address of go, so that their slots are free. What is lent stays. {@link #close()} ends it at any time.
     */
    void drain();
}
