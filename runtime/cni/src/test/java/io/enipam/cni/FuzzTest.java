package io.enipam.cni;

import static io.enipam.cni.FakeDaemon.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.cni.BuiltPlugin.Ran;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The C front, built with the sanitizers for addresses and undefined behaviour, on what nobody should send it. */
@Timeout(300)
class FuzzTest {
    private static final long SEED = 20200101;
    private static final int CALLS = 60;

    /** The status of a program that a sanitizer has ended. */
    private static final int REPORTED = 99;

    private static final Map<String, String> SANITIZED = Map.of(
            "CFLAGS", "-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all", "LDFLAGS", "-static-libasan");

    @TempDir
    Path directory;

    @Test
    void noAnswerEnvironmentOrInputMakesTheCFrontTouchWhatIsNotItsOwn() throws Exception {
        Optional<BuiltPlugin> built = BuiltPlugin.inC("C with sanitizers", SANITIZED);
        assumeTrue(built.isPresent(), "there is no C compiler here that has the sanitizers (Debian: gcc, libc6-dev)");
        BuiltPlugin front = built.get();
        Random random = new Random(SEED);
        for (int i = 0; i < CALLS; i++) {
            byte[] said = answer(random);
            Path socket = directory.resolve("s" + i);
            try (FakeDaemon daemon = FakeDaemon.saying(socket, said)) {
                Ran ran = front.call(socket, command(random), input(random), variables(random));

                assertThat(daemon).isNotNull();
                assertThat(ran.status())
                        .as("call %s of seed %s: %s", i, SEED, ran.err())
                        .isNotIn(REPORTED, 134, 139);
                assertThat(ran.err()).as("call %s of seed %s", i, SEED).doesNotContain("Sanitizer", "runtime error");
            }
        }
    }

    private static String command(Random random) {
        return List.of("ADD", "VERSION", "DEL", "X", "").get(random.nextInt(5));
    }

    /** Mostly a frame of which something is wrong, or nothing. */
    private static byte[] answer(Random random) throws IOException {
        byte[] noise = noise(random, 3000);
        if (random.nextInt(6) == 0) {
            return noise;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        int length = 6 + noise.length;
        out.writeInt(random.nextInt(3) == 0 ? odd(random, length) : length);
        out.writeByte(random.nextInt(8) == 0 ? random.nextInt(256) : 1);
        // not the sanitizers' own
        out.writeByte(random.nextInt(REPORTED));
        out.writeInt(random.nextInt(3) == 0 ? odd(random, noise.length) : random.nextInt(noise.length + 1));
        out.write(noise);
        return bytes.toByteArray();
    }

    /** A length that is near a limit. */
    private static int odd(Random random, int length) {
        int[] odd = {
            0,
            1,
            5,
            6,
            length - 1,
            length + 1,
            Integer.MAX_VALUE,
            Integer.MIN_VALUE,
            -1,
            FrameCodec.LONGEST,
            FrameCodec.LONGEST + 1
        };
        return odd[random.nextInt(odd.length)];
    }

    private static byte[] input(Random random) {
        String[] texts = {
            "",
            "{",
            "\"cniVersion\"",
            "\"cniVersion\":",
            "\"cniVersion\":\"",
            "\"cniVersion\":\"1",
            "\"cniVersion\"\"\"",
            "\"cniVersion\":\"" + "1".repeat(23) + "\"",
            "\"cniVersion\":\"" + "1.".repeat(40) + "\"",
            "\0\"cniVersion\":\"1\""
        };
        if (random.nextInt(3) == 0) {
            // around the room that is made at first, and made again
            return new byte[65536 * (1 + random.nextInt(3)) + random.nextInt(64) - 32];
        }
        return random.nextBoolean() ? bytes(texts[random.nextInt(texts.length)]) : noise(random, 200);
    }

    private static String[] variables(Random random) {
        List<String> variables = new ArrayList<>(List.of(
                "ENIPAM_CNI_TIMEOUT_MS=3000",
                "ASAN_OPTIONS=exitcode=" + REPORTED + ":detect_leaks=0",
                "UBSAN_OPTIONS=exitcode=" + REPORTED));
        for (int i = random.nextInt(5); i > 0; i--) {
            String name = "CNI_" + "A".repeat(random.nextInt(4)) + i;
            variables.add(name + "=" + "%n\u00e4\"\\\n".repeat(random.nextInt(2000)));
        }
        if (random.nextInt(10) == 0) {
            variables.add("ENIPAM_CNI_SOCKET=" + "/%s%n\"\\".repeat(random.nextInt(1500)));
        }
        if (random.nextInt(10) == 0) {
            variables.set(
                    0,
                    "ENIPAM_CNI_TIMEOUT_MS="
                            + List.of("", "-1", "x", "99999999999999999999", "0")
                                    .get(random.nextInt(5)));
        }
        return variables.toArray(String[]::new);
    }

    private static byte[] noise(Random random, int most) {
        byte[] noise = new byte[random.nextInt(most)];
        random.nextBytes(noise);
        return noise;
    }
}
