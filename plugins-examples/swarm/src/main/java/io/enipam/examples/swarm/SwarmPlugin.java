package io.enipam.examples.swarm;

import io.enipam.examples.swarm.docker.DockerIpam;
import io.enipam.examples.swarm.licences.LicenceVoter;
import io.enipam.examples.swarm.state.Ballot;
import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The plugin {@code swarm}: swarmkit's allocator and a voter of its ballot, for daemons of role cluster, and Docker's IPAM driver. */
public final class SwarmPlugin implements IpamPlugin {
    static final String NAME = "swarm";

    @Override
    public List<Setting<?>> settings() {
        return Stream.of(SwarmPart.SETTINGS, List.of(LicenceVoter.LICENCES), DockerIpam.settings())
                .<Setting<?>>flatMap(List::stream)
                .toList();
    }

    @Override
    public List<Extension> extensions() {
        return List.of(
                Extension.of(NAME, Set.of(Role.CLUSTER), SwarmPart::new),
                LicenceVoter.extension(Ballot.NAME),
                DockerIpam.extension());
    }
}
