package io.enipam.frontends.cni.spec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.frontends.cni.spec.CniVariables.CniCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever anybody writes: what comes out is a value, or an error with a code that is itself JSON on one line. */
class MalformedInputTest {
    private static final int ROUNDS = 4_000;

    private static final String WHOLE = """
            {"cniVersion":"1.1.0","name":"net","type":"enipam-cni","veth_prefix":"cali","eniip_virtual_type":"Veth",
            "mtu":1500,"host_stack_cidrs":["169.254.20.10/32"],"args":{"cni":{"K8S_POD_NAME":"a"}},
            "dns":{"nameservers":["10.0.0.10"],"domain":"d","search":["s"],"options":["o"]},
            "runtimeConfig":{"bandwidth":{"ingressRate":1000,"egressRate":1000}},
            "cni.dev/valid-attachments":[{"containerID":"a","ifname":"eth0"}],
            "prevResult":{"cniVersion":"1.1.0","interfaces":[{"name":"eth0","mac":"02:00:00:00:00:01","mtu":1500,
            "sandbox":"/n"}],"ips":[{"address":"10.0.0.5/32","gateway":"169.254.1.1","interface":0}],
            "routes":[{"dst":"0.0.0.0/0","gw":"169.254.1.1","mtu":1400}],"dns":{}}}""";

    private static final String[] PIECES = {
        "null",
        "true",
        "-1",
        "1e400",
        "99999999999999999999",
        "\"\"",
        "[]",
        "{}",
        "[[[[",
        "\"\\ud800\"",
        "\"\\u0000\"",
        "\"10.0.0.1/33\"",
        "\"::1\"",
        "\"0.2.0\"",
        "\"1.1.0\"",
        "\"../..\"",
        "\u202e",
        "{\"a\":",
        ",",
        ":",
        "}",
        "]",
        "\"",
        "0.5",
        "\"K=V;;=;K\"",
        "\"%s%n\"",
        "[null]",
        "[{}]",
        "{\"cniVersion\":\"0.1.0\"}"
    };

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void nothingComesOutOfAConfigurationButValuesAndCodedErrors(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] text = mutated(random);
            for (CniCommand command : CniCommand.values()) {
                try {
                    use(NetConf.read(text, command));
                    read++;
                } catch (CniException e) {
                    told(e);
                }
            }
            NetConf.versionIn(text);
            NetConf.headingOf(text);
        }
        assertThat(read)
                .as("some of them were valid, or nothing deep was tried")
                .isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void nothingComesOutOfVariablesButValuesAndCodedErrors(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        NetConf conf = NetConf.read("{\"name\":\"net\",\"type\":\"x\"}".getBytes(UTF_8), CniCommand.ADD);
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Map<String, String> environment = new TreeMap<>(Map.of(
                    "CNI_COMMAND", CniCommand.values()[random.nextInt(6)].name(),
                    "CNI_CONTAINERID", "c1",
                    "CNI_NETNS", "/run/netns/a",
                    "CNI_IFNAME", "eth0",
                    "CNI_PATH", "/p",
                    "CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAMESPACE=a;K8S_POD_NAME=b"));
            List<String> names = new ArrayList<>(environment.keySet());
            String name = names.get(random.nextInt(names.size()));
            environment.put(name, random.nextBoolean() ? text(random) : spliced(environment.get(name), random));
            try {
                CniVariables variables = CniVariables.read(environment);
                CniArgs.read(variables.args(), conf);
                read++;
            } catch (CniException e) {
                told(e);
            }
        }
        assertThat(read).isPositive();
    }

    private static void use(NetConf conf) throws IOException {
        List<Runnable> uses = List.of(
                () -> conf.link("/n"),
                () -> conf.attachments(),
                () -> CniArgs.read("K8S_POD_NAMESPACE=a;K8S_POD_NAME=b", conf),
                () -> conf.previous()
                        .ifPresent(result -> ResultJson.result(
                                new CniResult(List.of(), List.of(), List.of(), conf.dns()).after(result),
                                conf.version())));
        for (Runnable each : uses) {
            try {
                each.run();
            } catch (CniException e) {
                told(e);
            }
        }
    }

    private static void told(CniException error) throws IOException {
        String text = new String(ResultJson.error(SpecVersion.LATEST, error), UTF_8);
        assertThat(text.lines().count()).as(text).isEqualTo(1);
        assertThat(text.length()).as(text).isLessThan(4_000);
        assertThat(new JsonMapper().readTree(text).path("code").asInt())
                .as(text)
                .isIn(1, 4, 6, 7);
    }

    private static byte[] mutated(SplittableRandom random) {
        String text = WHOLE;
        int changes = 1 + random.nextInt(3);
        for (int change = 0; change < changes; change++) {
            text = spliced(text, random);
        }
        byte[] bytes = text.getBytes(UTF_8);
        if (random.nextInt(4) == 0 && bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    /** A value is replaced, a piece put in, or a part cut out. */
    private static String spliced(String text, SplittableRandom random) {
        int from = random.nextInt(text.length() + 1);
        String piece = PIECES[random.nextInt(PIECES.length)];
        return switch (random.nextInt(4)) {
            case 0 -> text.substring(0, from) + piece + text.substring(from);
            case 1 -> text.substring(0, from) + text.substring(Math.min(text.length(), from + random.nextInt(20)));
            default -> {
                int colon = text.indexOf(':', from);
                int end = colon < 0 ? -1 : text.indexOf(',', colon);
                yield end < 0 ? text + piece : text.substring(0, colon + 1) + piece + text.substring(end);
            }
        };
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(40);
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(random.nextInt(8) == 0 ? random.nextInt(0x10FFFF) : random.nextInt(128));
        }
        return text.toString();
    }
}
