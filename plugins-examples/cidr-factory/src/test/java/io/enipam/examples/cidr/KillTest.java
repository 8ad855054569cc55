package io.enipam.examples.cidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Resource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class KillTest {
    private static final int ROUNDS = 4;
    private static final String IPV4 = "10.64.0.0/24";
    private static final String IPV6 = "fd00::/64";

    @TempDir
    Path directory;

    @Test
    @Timeout(300)
    void afterAnyKillWhatWasToldIsTrueAndNothingIsHalf() throws Exception {
        Random random = new Random(7);
        Map<String, String> known = new HashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            Outcomes told = killedAfter(30 + random.nextInt(200), round);
            known.putAll(told.made);
            known.keySet().removeAll(told.gone);
            try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, IPV4, IPV6)) {
                Map<String, String> listed = new HashMap<>();
                for (Resource resource : CidrFactoryFixture.settled(bench.factory.list())) {
                    assertThat(resource.addresses()).hasSize(2);
                    listed.put(
                            resource.attributes().get(Allocation.TOKEN),
                            resource.id().value());
                }
                assertThat(Diagnostics.rows(bench, "damage")).isEmpty();
                // the one wish or dispose under way when it was killed may have happened or not
                Set<String> unsure = told.underWay;
                assertThat(without(listed, unsure)).isEqualTo(without(known, unsure));
                for (Map.Entry<String, String> each : listed.entrySet()) {
                    assertThat(bench.make(each.getKey(), CidrFactoryFixture.PAIR)
                                    .id())
                            .hasToString(each.getValue());
                }
                assertThat(new HashSet<>(listed.values())).hasSameSizeAs(listed.values());
                known.clear();
                known.putAll(listed);
            }
        }
    }

    @Test
    @Timeout(300)
    void anotherProcessCannotOpenTheLedgerUntilTheFirstIsDead() throws Exception {
        Process child = started(0);
        try (BufferedReader said = lines(child)) {
            assertThat(said.readLine()).startsWith("wish");
            assertThatThrownBy(() -> CidrFactoryFixture.open(directory, IPV4, IPV6))
                    .isInstanceOfSatisfying(
                            FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.CONFLICT));
            // a try that failed must not have taken the lock off the first
            assertThatThrownBy(() -> CidrFactoryFixture.open(directory, IPV4, IPV6))
                    .isInstanceOf(FactoryException.class);
        } finally {
            child.destroyForcibly();
        }
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        CidrFactoryFixture.open(directory, IPV4, IPV6).close();
    }

    private Outcomes killedAfter(int lines, int seed) throws Exception {
        Process child = started(seed);
        Outcomes outcomes = new Outcomes();
        try (BufferedReader said = lines(child)) {
            String line = said.readLine();
            for (int read = 1; line != null; read++) {
                outcomes.hear(line.split(" "));
                if (read == lines) {
                    // the handle's kill leaves the pipe readable to its end
                    child.toHandle().destroyForcibly();
                }
                line = said.readLine();
            }
        } finally {
            child.destroyForcibly();
        }
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(outcomes.made).as("the child did something before it died").isNotEmpty();
        return outcomes;
    }

    private Process started(int seed) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KilledChild.class.getName(),
                        directory.toString(),
                        String.valueOf(seed),
                        IPV4,
                        IPV6)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static BufferedReader lines(Process child) {
        return new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
    }

    private static Map<String, String> without(Map<String, String> all, Set<String> some) {
        Map<String, String> rest = new HashMap<>(all);
        rest.keySet().removeAll(some);
        return rest;
    }

    /** What the child told before it died. */
    private static final class Outcomes {
        final Map<String, String> made = new HashMap<>();
        final Set<String> gone = new HashSet<>();
        final Set<String> underWay = new HashSet<>();

        void hear(String[] words) {
            // a last line may be cut short; then its operation stays under way
            if (words[0].equals("wish") || words[0].equals("back")) {
                underWay.add(words[1]);
            } else if (words[0].equals("made") && words.length == 3) {
                underWay.remove(words[1]);
                made.put(words[1], words[2]);
            } else if (words[0].equals("gone") && words.length == 2) {
                underWay.remove(words[1]);
                gone.add(words[1]);
            }
        }
    }
}
