package io.enipam.daemon;

import io.enipam.config.Schema;
import io.enipam.engine.port.Leadership;
import io.enipam.etcd.EtcdJournals;
import io.enipam.pluginhost.PluginStorage;
import io.enipam.pluginhost.PluginStorage.HostNode;
import io.enipam.sdk.Role;
import java.util.List;

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

    /** The leadership that is not etcd's. */
    private static Leadership leadership(BaseModule base) {
        return Leadership.alone(base.node);
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
