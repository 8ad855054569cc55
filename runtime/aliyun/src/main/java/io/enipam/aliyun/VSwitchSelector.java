package io.enipam.aliyun;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.client.NodeIdentity;
import io.enipam.aliyun.eni.VSwitchPolicy;
import io.enipam.engine.port.EventSink;
import java.util.List;
import java.util.Map;

/** Where the next ENIs are made. Thread-safe; one move at a time, and who looks sees a choice as a whole. */
final class VSwitchSelector {
    private final NodeIdentity node;
    private final EcsApi api;
    private final EventSink events;
    private volatile Selection current;

    /**
     * What is in force.
     *
     * @param configured vSwitch ids by zone, as somebody wrote them
     * @param policy which of the usable ones the next ENI is made in
     * @param usable described when they were chosen, in order of preference, at least one
     */
    record Selection(Map<String, List<String>> configured, VSwitchPolicy policy, List<VSwitch> usable) {
        List<String> ids() {
            return usable.stream().map(VSwitch::id).toList();
        }
    }

    /**
     * @throws io.enipam.sdk.FactoryException if none can be used
     * @throws io.enipam.aliyun.api.EcsException if the cloud does not answer
     */
    VSwitchSelector(EniConfig enis, NodeIdentity node, EcsApi api, EventSink events) {
        this.node = node;
        this.api = api;
        this.events = events;
        this.current = choose(enis);
    }

    Selection current() {
        return current;
    }

    /**
     * Chooses anew; throws as the constructor does, and then all is as before.
     *
     * @return whether anything is another one
     */
    synchronized boolean update(EniConfig enis) {
        if (enis.vswitches().equals(current.configured()) && enis.vswitchPolicy() == current.policy()) {
            return false;
        }
        current = choose(enis);
        return true;
    }

    private Selection choose(EniConfig enis) {
        NodeVSwitches found = NodeVSwitches.find(enis.vswitches(), enis.dual(), node, api);
        found.problems().forEach(problem -> events.warning("VSwitchUnusable", "vswitches", problem));
        return new Selection(enis.vswitches(), enis.vswitchPolicy(), found.usable());
    }
}
