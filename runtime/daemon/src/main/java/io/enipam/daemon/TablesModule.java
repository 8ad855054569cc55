package io.enipam.daemon;

import io.enipam.config.ClusterAccess;
import io.enipam.config.Schema;
import io.enipam.engine.port.Leadership;
import io.enipam.etcd.EtcdJournals;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.cluster.LeaseLeadership;
import io.enipam.kubernetes.cluster.LeaseLeadership.LeaseName;
import io.enipam.kubernetes.cluster.LeaseLeadership.LeaseTimes;
import io.enipam.pluginhost.PluginStorage;
import io.enipam.pluginhost.PluginStorage.HostNode;
import io.enipam.sdk.Role;
import java.util.List;
import java.util.UUID;

/** Where a daemon of role CLUSTER keeps the tables of plugins, and who says which of its replicas is active. */
final class TablesModule {
    private TablesModule() {}

    /** Blocks until etcd has answered, where it is used; throws {@link io.enipam.sdk.JournalException} if it does not. */
    static PluginStorage open(BaseModule base, StorageModule storage) {
        HostNode replica = new HostNode(base.node, Role.CLUSTER);
        if (!base.config.usesEtcd()) {
            return new PluginStorage(replica, base.layout.pluginData(), storage::journal, leadership(base));
        }
        EtcdJournals etcd = EtcdModule.connect(base);
        boolean byEtcd = List.of("auto", "etcd").contains(base.config.get(Schema.LEADER));
        return new PluginStorage(
                replica,
                base.layout.pluginData(),
                etcd::of,
                byEtcd ? told(base, etcd.leadership(base.node)) : leadership(base));
    }

    /**
     * The leadership that is not etcd's.
     *
     * @throws StartupException if the API server has to say who leads, and there is no way to it
     */
    private static Leadership leadership(BaseModule base) {
        if (!base.config.get(Schema.LEADER).equals("kubernetes")) {
            return Leadership.alone(base.node);
        }
        ApiServerClient calls = base.access
                .map(ClusterAccess::calls)
                .orElseThrow(
                        () -> new StartupException("cluster.leader is 'kubernetes', but there is no kubeconfig and no"
                                + " service account; set kubernetes.kubeconfig, or run the daemon in a pod"));
        String[] lease = base.config.get(Schema.LEASE).split("/", 2);
        String process = base.node + "_" + UUID.randomUUID();
        return told(
                base,
                new LeaseLeadership(
                        calls,
                        new LeaseName(lease[0], lease[1], process),
                        LeaseTimes.DEFAULT,
                        base.time,
                        base.scheduler));
    }

    private static Leadership told(BaseModule base, Leadership leadership) {
        base.opened.push("leadership", leadership);
        leadership.follow(leads -> {
            String others = leadership
                    .leader()
                    .filter(name -> !leads)
                    .map(name -> "; " + name + " leads")
                    .orElse("");
            base.events.info(
                    leads ? "ReplicaLeads" : "ReplicaFollows",
                    base.node,
                    leads ? "this replica leads: its extensions are active" : "this replica does not lead" + others);
        });
        return leadership;
    }
}
