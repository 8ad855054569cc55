package io.enipam.store;

import static io.enipam.store.TestRecords.commit;
import static io.enipam.store.TestRecords.owner;
import static io.enipam.store.TestRecords.put;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import java.io.PrintStream;
import java.nio.file.Path;

/**
 * The process that gets killed: eight threads commit and print each number after its acknowledgement. Each commit adds a
 * lease and the intent of the same number, and removes those of ten before, so that half a commit shows.
 */
final class CommittingProcess {
    static final int THREADS = 8;
    static final int SPAN = 8_000;
    static final int KEPT = 10;

    private CommittingProcess() {}

    /** @param args the directory, and the number each thread starts with */
    public static void main(String[] args) {
        ResourceDb db = JournaledResourceDb.open(Path.of(args[0]), TestRecords.SMALL);
        int start = Integer.parseInt(args[1]);
        PrintStream out = System.out;
        for (int t = 0; t < THREADS; t++) {
            int base = t * SPAN;
            new Thread(() -> commitForever(db, base, start, out)).start();
        }
    }

    private static void commitForever(ResourceDb db, int base, int start, PrintStream out) {
        for (int i = start; i < SPAN; i++) {
            int n = base + i;
            commit(
                    db,
                    put(n),
                    new Change.PutIntent(TestRecords.intent(n)),
                    new Change.RemoveLease(owner(n - KEPT)),
                    new Change.RemoveIntent(TestRecords.intent(n - KEPT).token()));
            out.println(n + ";");
        }
    }
}
