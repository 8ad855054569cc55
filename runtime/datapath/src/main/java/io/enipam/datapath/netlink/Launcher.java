package io.enipam.datapath.netlink;

import java.io.IOException;

/** Starts the programs that change and read the kernel: {@code ProcessBuilder::start}, unless they are imitated. Thread-safe. */
@FunctionalInterface
public interface Launcher {
    /** Starts one; as {@link ProcessBuilder#start()}. */
    Process start(ProcessBuilder program) throws IOException;
}
