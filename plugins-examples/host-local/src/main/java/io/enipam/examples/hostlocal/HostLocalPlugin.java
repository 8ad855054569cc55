package io.enipam.examples.hostlocal;

import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import java.util.List;
import java.util.Set;

/** The plugin {@code host-local}: one extension of that name, which answers CNI calls. */
public final class HostLocalPlugin implements IpamPlugin {
    static final String NAME = "host-local";
    static final String FILES = "files";
    static final String JOURNAL = "journal";

    private static final String PATH = "/[^\\p{Cntrl}]{0,4000}";

    static final Setting<String> STORE = Setting.choice("store", List.of(FILES, JOURNAL), FILES)
            .doc("Where addresses are kept: in host-local's files, which the Go plugin may use at the same time, or"
                    + " in the journal alone.");

    static final Setting<String> DATA_DIR = Setting.text("data_dir", "an absolute path", PATH, "/var/lib/cni/networks")
            .doc("The directory of the networks' files, for networks without ipam.dataDir.");

    static final Setting<String> RESULTS_DIR = Setting.text(
                    "results_dir", "an absolute path", PATH, "/var/lib/cni/results")
            .doc("Where the container runtime keeps the results of CNI calls; a container without one is gone.");

    @Override
    public List<Setting<?>> settings() {
        return List.of(STORE, DATA_DIR, RESULTS_DIR);
    }

    @Override
    public List<Extension> extensions() {
        return List.of(Extension.of(NAME, Set.of(Role.NODE), HostLocalPart::new));
    }
}
