package io.enipam.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a program did. */
record Program(int status, String out, String err) {
    /** Runs one to its end, for two minutes at most, with nothing in its environment but PATH and what is given. */
    static Program run(Path directory, Map<String, String> environment, List<String> command) throws Exception {
        Path out = Files.createTempFile(directory, "program", ".out");
        Path err = Files.createTempFile(directory, "program", ".err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS))
                    .as("%s has ended", command)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        Program program = new Program(process.exitValue(), Files.readString(out), Files.readString(err));
        Files.delete(out);
        Files.delete(err);
        return program;
    }
}
