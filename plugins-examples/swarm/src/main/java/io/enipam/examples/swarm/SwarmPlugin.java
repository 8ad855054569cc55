package io.enipam.examples.swarm;

import io.enipam.examples.swarm.docker.DockerIpam;
import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Setting;
import java.util.List;

/** The plugin {@code swarm}. */
public final class SwarmPlugin implements IpamPlugin {
    @Override
    public List<Setting<?>> settings() {
        return DockerIpam.settings();
    }

    @Override
    public List<Extension> extensions() {
        return List.of(DockerIpam.extension());
    }
}
