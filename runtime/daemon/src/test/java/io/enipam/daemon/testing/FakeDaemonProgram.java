package io.enipam.daemon.testing;

import io.enipam.daemon.Main;
import picocli.CommandLine;

/** {@code enipamd} as a process of its own, on fakes. */
public final class FakeDaemonProgram {
    private FakeDaemonProgram() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new Main(new FakeSurroundings(), FakeSurroundings.assembly())).execute(args));
    }
}
