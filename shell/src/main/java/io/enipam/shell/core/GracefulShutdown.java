package io.enipam.shell.core;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets work that has something to say at its end say it also when a signal ends the program: it is interrupted, as by Ctrl-C at
 * the prompt, and the program stays until it has ended, for a short time. The exit status is the signal's.
 */
public final class GracefulShutdown {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private GracefulShutdown() {}

    public static void run(Interrupts interrupts, Runnable work) {
        CountDownLatch said = new CountDownLatch(1);
        Thread hook = new Thread(() -> end(interrupts, said), "last-words");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            work.run();
        } finally {
            said.countDown();
            withdraw(hook);
        }
    }

    private static void end(Interrupts interrupts, CountDownLatch said) {
        interrupts.interrupt();
        try {
            said.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void withdraw(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ended) {
            // the program ends already, and the hook with it
        }
    }
}
