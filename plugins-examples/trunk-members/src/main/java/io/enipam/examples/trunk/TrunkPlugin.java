package io.enipam.examples.trunk;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Host;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Part;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import io.enipam.sdk.cloud.Cloud;
import java.util.List;
import java.util.Set;

/** Brings the allocator {@code trunk-members}. */
public final class TrunkPlugin implements IpamPlugin {
    static final String NAME = "trunk-members";

    static final Setting<Integer> MAX_MEMBERS = Setting.wholeNumber("max_members", 0, 1_000, 0)
            .unit("ENIs")
            .doc("The most member ENIs; 0 for as many as the instance type allows.");

    @Override
    public List<Setting<?>> settings() {
        return List.of(MAX_MEMBERS);
    }

    @Override
    public List<Extension> extensions() {
        return List.of(Extension.of(NAME, Set.of(Role.NODE), TrunkPlugin::open));
    }

    private static Part open(Host host) {
        Cloud cloud = host.service(Cloud.class)
                .orElseThrow(() -> new FactoryException(ErrorKind.MISCONFIGURED, "this host has no cloud"));
        return TrunkAllocator.open(host, cloud);
    }
}
