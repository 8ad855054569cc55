package io.enipam.datapath.iproute;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The sysctls of this process's network namespace, without a process. Thread-safe. */
public final class Sysctls {
    private static final Path ROOT = Path.of("/proc/sys");

    /**
     * What it is now.
     *
     * @param path below {@code /proc/sys}, with slashes
     * @throws CommandFailedException if there is none
     */
    public String get(String path) {
        try {
            return Files.readString(ROOT.resolve(path)).trim();
        } catch (IOException e) {
            throw failed("/proc/sys/" + path + " cannot be read: " + e.getMessage());
        }
    }

    /** Whether there is one. */
    public boolean has(String path) {
        return Files.exists(ROOT.resolve(path));
    }

    /**
     * Sets it, unless it is so: then nothing is written, and a read-only {@code /proc/sys} does no harm.
     *
     * @throws CommandFailedException if it cannot be set; the text says what to do
     */
    public void set(String path, String value) {
        if (get(path).equals(value)) {
            return;
        }
        try {
            Files.writeString(ROOT.resolve(path), value + "\n");
        } catch (IOException e) {
            String name = path.replace('/', '.');
            throw failed(name + " is " + get(path) + " and has to be " + value + ", but /proc/sys cannot be written ("
                    + e.getMessage() + "): run 'sysctl -w " + name + "=" + value
                    + "' on the node, or give the container a writable /proc/sys (privileged: true)");
        }
    }

    private static CommandFailedException failed(String why) {
        return new CommandFailedException(why, "", why);
    }
}
