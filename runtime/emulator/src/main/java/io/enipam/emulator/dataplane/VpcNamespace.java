package io.enipam.emulator.dataplane;

import io.enipam.emulator.EmulatorException;
import io.enipam.emulator.cloud.VSwitch;
import io.enipam.emulator.dataplane.IpTool.IpException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The namespace that this process is in, made a VPC: it answers for the gateways of the vSwitches, passes nothing on that no
 * rule names the source of, and has no way out.
 */
final class VpcNamespace {
    private static final Path SYSCTLS = Path.of("/proc/sys/net");
    /** Rules before it let sources pass; what the emulator itself says goes by it. */
    private static final int OWN = 900;

    private static final int NOBODY = 2000;

    private final IpTool ip;

    VpcNamespace(IpTool ip) {
        this.ip = ip;
    }

    void setUp(List<VSwitch> vswitches, Set<InetAddress> services) {
        try {
            sysctls();
            List<String> lines = new ArrayList<>(List.of("link set lo up"));
            vswitches.forEach(vswitch -> lines.add("addr add " + vswitch.gateway() + "/32 dev lo"));
            services.stream()
                    .filter(address -> !address.isLoopbackAddress() && !address.isAnyLocalAddress())
                    .forEach(address -> lines.add("addr replace " + address.getHostAddress() + "/"
                            + address.getAddress().length * 8 + " dev lo"));
            List<String> closed =
                    List.of("rule add pref " + OWN + " iif lo lookup main", "rule add pref " + NOBODY + " blackhole");
            lines.addAll(closed);
            lines.add("route add blackhole default");
            ip.batch(lines);
            if (Files.exists(SYSCTLS.resolve("ipv6"))) {
                List<String> six = new ArrayList<>(closed);
                six.add("route add blackhole default");
                ip.batch(six, "-6");
            }
        } catch (IpException e) {
            throw Dataplane.cannot("make the namespace a VPC", e);
        }
    }

    private static void sysctls() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("ipv4/ip_forward", "1");
        for (String links : List.of("all", "default")) {
            // sources are held against the rules, which know more than the reverse path does
            values.put("ipv4/conf/" + links + "/rp_filter", "0");
            values.put("ipv4/conf/" + links + "/send_redirects", "0");
        }
        values.put("ipv4/conf/default/proxy_arp", "1");
        if (Files.exists(SYSCTLS.resolve("ipv6"))) {
            values.put("ipv6/conf/all/forwarding", "1");
            values.put("ipv6/conf/default/accept_dad", "0");
        }
        values.forEach(VpcNamespace::sysctl);
    }

    /** Answers are not held back, so that many who ask at once do not get them together. */
    static void answerAtOnce(String link) {
        sysctl("ipv4/neigh/" + link + "/proxy_delay", "0");
    }

    private static void sysctl(String name, String value) {
        try {
            Files.writeString(SYSCTLS.resolve(name), value);
        } catch (IOException e) {
            throw new EmulatorException(
                    "cannot set net/" + name + " to " + value + " in the VPC's namespace: " + e
                            + "; is /proc/sys mounted read-only?",
                    e);
        }
    }
}
