package io.enipam.examples.swarm.networks;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.pools.NumberPool;
import io.enipam.examples.swarm.pools.Turns;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The VXLANs of overlay networks: each IPv4 subnet has one. Not thread-safe. */
public final class Vxlans {
    /** To which UDP port nodes send them where none is configured. */
    public static final int USUAL_PORT = 4789;

    private static final int FIRST_PORT = 1_024;
    private static final int LAST_PORT = 49_151;

    static final String OPTION = "com.docker.network.driver.overlay.vxlanid_list";
    private static final int FIRST_CHOSEN = 4_096;
    private static final int LAST = (1 << 24) - 1;

    private final NumberPool low = new NumberPool(0, FIRST_CHOSEN - 1);
    private final NumberPool high;

    Vxlans(Turns turns) {
        high = new NumberPool(FIRST_CHOSEN, LAST, turns);
    }

    void turnsOf(Vxlans before) {
        high.turnOf(before.high);
    }

    /**
     * The UDP port to which nodes send VXLANs.
     *
     * @param configured 0 for the usual one
     * @throws Refused if it is none that a node may have
     */
    public static int port(int configured) {
        int port = configured == 0 ? USUAL_PORT : configured;
        if (port < FIRST_PORT || port > LAST_PORT) {
            throw Refused.invalid(
                    "VXLAN UDP port number is not in valid range (" + FIRST_PORT + "-" + LAST_PORT + "): " + port);
        }
        return port;
    }

    /**
     * @param options of the driver; {@link #OPTION} has the numbers that are asked for
     * @param subnets for which one each is needed
     * @throws Refused if one is taken, or cannot be read; none is taken then
     */
    List<Integer> take(Map<String, String> options, List<String> subnets) {
        List<Integer> asked = asked(options);
        List<Integer> taken = new ArrayList<>();
        for (String subnet : subnets) {
            try {
                taken.add(taken.size() < asked.size() ? take(asked.get(taken.size())) : high.take());
            } catch (Refused e) {
                taken.forEach(this::release);
                String which =
                        taken.size() < asked.size() ? asked.get(taken.size()).toString() : "any";
                throw e.during("could not assign vxlan id " + which + " to pool " + subnet);
            }
        }
        return taken;
    }

    private static List<Integer> asked(Map<String, String> options) {
        List<Integer> asked = new ArrayList<>();
        for (String text : Stream.of(options.getOrDefault(OPTION, "").split(",", -1))
                .filter(each -> !each.isEmpty())
                .toList()) {
            try {
                asked.add(Integer.parseUnsignedInt(text));
            } catch (NumberFormatException e) {
                throw Refused.invalid("invalid vxlan id value \"" + text + "\" passed");
            }
        }
        return asked;
    }

    private int take(int number) {
        (low.contains(number) ? low : high).take(number);
        return number;
    }

    void release(int number) {
        low.release(number);
        high.release(number);
    }

    static String text(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    int taken() {
        return low.taken() + high.taken();
    }
}
