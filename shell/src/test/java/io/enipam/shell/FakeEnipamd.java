package io.enipam.shell;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A process in enipamd's place: serves in the directory after --root until its stdin ends, then removes it. */
public final class FakeEnipamd {
    private FakeEnipamd() {}

    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[List.of(args).indexOf("--root") + 1]);
        Path run = Files.createDirectories(root.resolve("run"));
        FakeDaemon daemon = new FakeDaemon(run.resolve("enipam.sock"));
        System.in.transferTo(OutputStream.nullOutputStream());
        daemon.close();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
