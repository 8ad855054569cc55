package io.enipam.store.history;

import static io.enipam.store.history.EndedLeases.commit;
import static io.enipam.store.history.EndedLeases.put;
import static io.enipam.store.history.EndedLeases.remove;

import io.enipam.store.history.EndedLeases.Node;
import java.nio.file.Path;

/** The process that gets killed: each lease is committed, then ended, and its number printed when that was acknowledged. */
final class EndingProcess {
    static final int THREADS = 4;
    static final int SPAN = 100_000;

    private EndingProcess() {}

    /** @param args the directory, and the number each thread starts with */
    public static void main(String[] args) throws Exception {
        Node node = Node.open(Path.of(args[0]));
        int start = Integer.parseInt(args[1]);
        for (int thread = 0; thread < THREADS; thread++) {
            int base = thread * SPAN;
            new Thread(() -> {
                        for (int i = start; i < SPAN; i++) {
                            commit(node.db(), put(base + i));
                            commit(node.db(), remove(base + i));
                            System.out.println(base + i + ";");
                        }
                    })
                    .start();
        }
    }
}
