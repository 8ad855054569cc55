package io.enipam.store;

import io.enipam.engine.port.ResourceDb;
import java.nio.file.Path;

/** A process that commits numbered leases from eight threads and prints each number once it is acknowledged. */
final class Killed {
    private Killed() {}

    public static void main(String[] args) {
        int first = Integer.parseInt(args[1]);
        ResourceDb db = JournaledResourceDb.open(Path.of(args[0]), new io.enipam.store.journal.LocalDisk(), 30_000);
        for (int thread = 0; thread < 8; thread++) {
            int offset = thread;
            new Thread(() -> {
                        for (int n = first + offset; ; n += 8) {
                            Samples.commit(db, Samples.put(n)).join();
                            print(n);
                        }
                    })
                    .start();
        }
    }

    private static synchronized void print(int n) {
        System.out.println(n);
        System.out.flush();
    }
}
