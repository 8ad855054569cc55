package io.enipam.daemon.testing;

import io.enipam.daemon.DaemonMain;
import picocli.CommandLine;

/** {@code enipamd} as a process of its own, on fakes. */
public final class FakeDaemonProgram {
    private FakeDaemonProgram() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new DaemonMain(new FakeSurroundings(), FakeSurroundings.assembly())).execute(args));
    }
}
