package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Why nobody knows a thing, and where it was looked for. */
final class Unknown {
    private final Scene scene;

    private final Optional<String> silence;

    /** @param silence why the cloud does not say who has it, if it was asked and does not */
    Unknown(Scene scene, Optional<String> silence) {
        this.scene = scene;
        this.silence = silence;
    }

    /** @param address if it is one */
    List<String> looked(Optional<String> address) {
        List<String> lines = new ArrayList<>();
        address.ifPresent(ip -> lines.add(range(ip)));
        for (SourceReply<?> account : scene.snapshot().replies()) {
            lines.add(account.source() + ": "
                    + (account.known()
                            ? counted(account.statements().size()) + ", none of it"
                            : account.state() == SourceReply.State.ABSENT
                                    ? "there is none here: " + account.why()
                                    : "did not answer: " + account.why()));
        }
        lines.add("events: the last " + scene.events().size() + ", none of it");
        return lines;
    }

    private static String counted(int statements) {
        return statements + (statements == 1 ? " statement" : " statements");
    }

    private String range(String ip) {
        List<String> ranges = scene.vswitches()
                .map(vswitch -> vswitch.id() + " has " + vswitch.cidr())
                .toList();
        if (ranges.isEmpty()) {
            return ip + " is not here; which ranges this node's addresses come from is not known now";
        }
        return scene.vswitches()
                .filter(vswitch -> Ranges.contains(vswitch.cidr(), ip))
                .findFirst()
                .map(vswitch -> ip + " lies in vSwitch " + vswitch.id() + " (" + vswitch.cidr()
                        + "), and "
                        + silence.map(why -> "the cloud does not say now whether an ENI has it: " + why)
                                .orElse("no ENI has it: it is free, or another machine's"))
                .orElseGet(() -> ip + " cannot be of this node: " + String.join(", ", ranges));
    }
}
