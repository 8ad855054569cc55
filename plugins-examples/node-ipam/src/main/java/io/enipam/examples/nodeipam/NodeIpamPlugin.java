package io.enipam.examples.nodeipam;

import io.enipam.examples.nodeipam.config.Options;
import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import java.util.List;
import java.util.Set;

/** The plugin {@code node-ipam}: one extension of that name, for daemons of role cluster. */
public final class NodeIpamPlugin implements IpamPlugin {
    static final String NAME = "node-ipam";

    @Override
    public List<Setting<?>> settings() {
        return Options.SETTINGS;
    }

    @Override
    public List<Extension> extensions() {
        return List.of(Extension.of(NAME, Set.of(Role.CLUSTER), NodeIpamPart::new));
    }
}
