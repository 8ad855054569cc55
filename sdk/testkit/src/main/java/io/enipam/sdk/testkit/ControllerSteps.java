package io.enipam.sdk.testkit;

import io.enipam.sdk.Controller;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Next;
import io.enipam.sdk.Source;
import io.enipam.sdk.ledger.Ledger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;

/**
 * The queue of a controller whose keys are reconciled when a test says so, for simulations of hosts that lead, follow and crash. What a
 * source tells after it was closed is not heard. For one thread.
 */
public final class ControllerSteps {
    private final Set<String> queue = new LinkedHashSet<>();
    private final Set<String> unsynced = new HashSet<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Optional<String> lost = Optional.empty();
    private int round;

    /** The keys that were told and not reconciled since, in the order in which they came; the test may add others. */
    public Set<String> queue() {
        return queue;
    }

    /** Whether all sources have told all that there is, and none is lost. */
    public boolean synced() {
        return unsynced.isEmpty() && lost.isEmpty();
    }

    /** Why the first source ended that was lost since they were opened. */
    public Optional<String> lost() {
        return lost;
    }

    /** Opens sources; one that cannot be is lost. */
    public void open(List<Source> sources) {
        lost = Optional.empty();
        sources.forEach(source -> unsynced.add(source.name()));
        for (Source source : sources) {
            RoundSink sink = new RoundSink(source.name());
            try {
                open.add(source.open(sink));
            } catch (RuntimeException e) {
                sink.lost(String.valueOf(e.getMessage()));
            }
        }
    }

    /** Closes them; no key waits any more. */
    public void close() {
        for (AutoCloseable source : open) {
            try {
                source.close();
            } catch (Exception e) {
                throw new AssertionError("a source cannot be closed", e);
            }
        }
        open.clear();
        unsynced.clear();
        queue.clear();
        round++;
    }

    /**
     * Reconciles a key, which waits no more.
     *
     * @param leads asked before the commit
     * @return {@link Next.Retry} as well if the journal did not take the commit
     */
    public Next reconcile(Ledger ledger, Controller controller, String key, BooleanSupplier leads) {
        queue.remove(key);
        try {
            return ledger.reconcile(key, controller, leads)
                    .toCompletableFuture()
                    .join();
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof JournalException)) {
                throw e;
            }
            return Next.retry(ErrorKind.UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }

    private final class RoundSink implements Source.Sink {
        private final String source;
        private final int of = round;

        RoundSink(String source) {
            this.source = source;
        }

        @Override
        public void changed(String key) {
            if (of == round) {
                queue.add(key);
            }
        }

        @Override
        public void synced() {
            if (of == round) {
                unsynced.remove(source);
            }
        }

        @Override
        public void lost(String why) {
            if (of == round && lost.isEmpty()) {
                lost = Optional.of(why);
            }
        }
    }
}
