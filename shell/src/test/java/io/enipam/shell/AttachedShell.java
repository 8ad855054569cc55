package io.enipam.shell;

import com.google.protobuf.MessageLite;
import io.enipam.shell.ShellProgram.Terminals;
import io.enipam.v1.ErrorDetail;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetHistoryRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The fixture of tests that run the program against a daemon with canned answers: a new one for each test. */
abstract class AttachedShell {
    @TempDir
    Path directory;

    Path socket;

    @AutoClose
    FakeDaemon daemon;

    @BeforeEach
    final void startDaemon() throws IOException {
        socket = directory.resolve("s");
        daemon = new FakeDaemon(socket);
    }

    /** From now on the daemon has a history of {@link CannedSamples}. */
    final void withHistory() {
        daemon.answer(
                GetHistoryRequest.class,
                GetHistoryReply.newBuilder()
                        .addAllSamples(CannedSamples.samples())
                        .build());
    }

    /** Runs a line, as {@code -c} does. */
    final TestShell.Result run(String line) {
        return program("-c", line);
    }

    /** Runs the program with these arguments. */
    final TestShell.Result program(String... arguments) {
        return new TestShell(directory, directory).at(socket, arguments);
    }

    /** Runs it for a person at a terminal, who gives this answer to a question. */
    final TestShell.Result asked(String answer, String... command) {
        return new TestShell(directory, directory)
                .on(new Terminals(true, true, true), Map.of())
                .typing(answer + "\n")
                .at(socket, command);
    }

    /** What the daemon was asked with requests of this type. */
    final <M extends MessageLite> List<M> received(Class<M> type) {
        return daemon.received().stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    /** From now on the daemon answers such requests with this error. */
    final void refuse(Class<? extends MessageLite> request, String code, String message, String hint) {
        daemon.refuse(
                request,
                ErrorDetail.newBuilder()
                        .setCode(code)
                        .setMessage(message)
                        .setHint(hint)
                        .build());
    }
}
