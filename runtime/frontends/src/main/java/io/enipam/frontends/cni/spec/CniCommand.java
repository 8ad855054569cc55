package io.enipam.frontends.cni.spec;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What a runtime asks for (specification 1.1.0, "Section 2: Execution Protocol"). */
public enum CniCommand {
    ADD(SpecVersion.V0_1_0, "CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"),
    DEL(SpecVersion.V0_1_0, "CNI_CONTAINERID", "CNI_IFNAME"),
    CHECK(SpecVersion.V0_4_0, "CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"),
    GC(SpecVersion.V1_1_0, "CNI_PATH"),
    STATUS(SpecVersion.V1_1_0),
    VERSION(SpecVersion.V0_1_0);

    private final SpecVersion since;
    private final List<String> required;

    CniCommand(SpecVersion since, String... required) {
        this.since = since;
        this.required = List.of(required);
    }

    /** The variables it cannot do without, beside {@code CNI_COMMAND}; in the order in which a message names them. */
    List<String> required() {
        return required;
    }

    /** Whether it is about one container. */
    boolean hasContainer() {
        return required.contains("CNI_CONTAINERID");
    }

    static Optional<CniCommand> named(String name) {
        return Arrays.stream(values())
                .filter(command -> command.name().equals(name))
                .findFirst();
    }

    /** @throws CniException code 1 if a configuration of this version has no such command */
    public void requireIn(SpecVersion version) {
        if (version.compareTo(since) < 0) {
            throw new CniException(
                    CniErrorCode.INCOMPATIBLE_VERSION,
                    "config version does not allow " + name(),
                    "config is \"" + version.text() + "\", and " + name() + " came with \"" + since.text() + "\"");
        }
    }
}
