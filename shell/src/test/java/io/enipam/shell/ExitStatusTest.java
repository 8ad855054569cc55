package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.ListInUseRequest;
import io.grpc.Status;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way to fail has its exit status and one line, and for a program one document with the same fields. */
class ExitStatusTest extends AttachedShell {
    private static final List<String> FIELDS = List.of("code", "message", "hint", "command", "exit");

    /** What both of them say who asked for the same, the person and the program. */
    private void fails(String command, int status, String told) {
        fails(status, told, "-c", command);
    }

    private void fails(int status, String told, String... arguments) {
        TestShell.Result person = program(arguments);
        TestShell.Result scripted = program(
                Stream.concat(Stream.of("-o", "json"), Stream.of(arguments)).toArray(String[]::new));

        assertThat(person.status()).as(person.err()).isEqualTo(status);
        assertThat(person.out()).isEmpty();
        assertThat(person.err()).startsWith("enipam: ").contains(told).hasLineCount(1);
        assertThat(scripted.status()).isEqualTo(status);
        assertThat(scripted.out()).isEmpty();
        JsonObject error = JsonParser.parseString(scripted.err()).getAsJsonObject();
        assertThat(error.keySet()).containsExactlyElementsOf(FIELDS);
        assertThat(error.get("exit").getAsInt()).isEqualTo(status);
        assertThat(error.get("message").getAsString()
                        + error.get("code").getAsString()
                        + error.get("hint").getAsString())
                .contains(told);
    }

    @ParameterizedTest
    @EnumSource(value = Status.Code.class, mode = EnumSource.Mode.EXCLUDE, names = "OK")
    void eachStatusOfACallIsTold(Status.Code code) {
        boolean gone = code == Status.Code.UNAVAILABLE || code == Status.Code.CANCELLED;
        String told = switch (code) {
            case UNAVAILABLE, CANCELLED -> "went away";
            default -> code.name();
        };
        Status status = code.toStatus().withDescription("so it is");
        daemon.fail(GetPoolRequest.class, status);
        daemon.fail(ListInUseRequest.class, status);

        fails("pool show", gone ? 3 : 1, told);
        fails("pool inuse", gone ? 3 : 1, told);
        fails("pool inuse --sort-by pod", gone ? 3 : 1, told);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POOL_EXHAUSTED",
                "NOT_FOUND",
                "INVALID_ARGUMENT",
                "FAILED_PRECONDITION",
                "CLOUD_FAILED",
                "STARTING",
                "NEW_ONE"
            })
    void theDaemonsOwnCodesAreANoWhateverStatusCarriesThem(String code) {
        refuse(GetPoolRequest.class, code, "that is why", "Do this.");

        fails("pool show", 1, code);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "stauts ~ unknown command",
                "pool ~ which one?",
                "pool show now ~ one argument too many",
                "eni show ~ missing required parameter",
                "cni add ~ missing required option",
                "pool inuse --columns nope ~ unknown column 'nope'",
                "pool inuse --columns '' ~ unknown column ''",
                "pool inuse --sort-by '' ~ unknown column ''",
                "pool inuse --sort-by - ~ unknown column ''",
                "pool inuse --watch=0 ~ is no number of seconds",
                "pool inuse --watch=-1 ~ is no number of seconds",
                "pool inuse --watch= ~ is no number of seconds",
                "pool drain ~ Add --yes",
                "pool show | grpe x ~ unknown filter 'grpe'",
                "pool show | grep ~ missing required parameter",
                "pool show | head -n -1 ~ a number of lines is not negative",
                "pool show | ~ a filter is missing",
                "pool show > ~ a file is missing",
                "pool show 'x ~ '",
                "run /no/such.runbook ~ no/such.runbook",
            })
    void whatIsTypedWronglyIsTwo(String line, String told) {
        fails(line, 2, told);
    }

    static Stream<String> unreachable() {
        return Stream.of("none", "stale", "file", "long");
    }

    @ParameterizedTest
    @MethodSource("unreachable")
    void nobodyToAttachToIsThree(String what) throws IOException {
        Path path = directory.resolve(what.equals("long") ? "x".repeat(120) : what);
        if (what.equals("stale")) {
            ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                    .bind(UnixDomainSocketAddress.of(path))
                    .close();
        } else if (what.equals("file")) {
            Files.createFile(path);
        }
        socket = path;

        fails("status", 3, what.equals("long") ? "at most 107" : path.toString());
        fails("events -f", 3, what.equals("long") ? "at most 107" : path.toString());
    }

    @Test
    void aSocketThatMayNotBeLookedAtIsThree() throws IOException {
        Path closed = Files.createDirectory(directory.resolve("closed"));
        socket = closed.resolve("s");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        try {
            assumeTrue(!Files.isReadable(closed), "somebody whom permissions do not stop");
            fails("status", 3, "permission denied on " + socket);
        } finally {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void aSocketBehindWhichNobodySaysAWordIsThree() throws IOException {
        socket = directory.resolve("mute");
        try (ServerSocketChannel mute = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            mute.bind(UnixDomainSocketAddress.of(socket));

            // the daemon is given 1 ms and the shell 5 s more
            TestShell.Result seen = run("cni add --pod default/a --timeout 1ms");

            assertThat(seen.status()).as(seen.err()).isEqualTo(3);
            assertThat(seen.err()).contains("nothing came from " + socket).hasLineCount(1);
        }
    }

    @Test
    void anExpectationThatDoesNotHoldIsFour() {
        TestShell.Result seen = run("run -c 'expect pool show | jq .pool.capacity == 77'");

        assertThat(seen.status()).isEqualTo(4);
        assertThat(run("run -c 'expect pool show | jq .pool.capacity > 0'").status())
                .isZero();
    }

    @Test
    void anInterruptIsAHundredAndThirtyAndNothingIsSaid() {
        Thread.currentThread().interrupt();
        try {
            TestShell.Result seen = run("events -f");

            assertThat(seen.status()).isEqualTo(130);
            assertThat(seen.err()).isEmpty();
        } finally {
            assertThat(Thread.interrupted()).as("it is passed on").isTrue();
        }
    }
}
