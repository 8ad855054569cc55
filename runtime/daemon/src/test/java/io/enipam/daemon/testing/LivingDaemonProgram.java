package io.enipam.daemon.testing;

import java.nio.file.Path;

/** A {@link LivingDaemon} as a process of its own, which ends when it is killed. */
public final class LivingDaemonProgram {
    private LivingDaemonProgram() {}

    /** @param args its root */
    public static void main(String[] args) throws InterruptedException {
        LivingDaemon.start(Path.of(args[0]));
        System.out.println("READY");
        Thread.sleep(Long.MAX_VALUE);
    }
}
