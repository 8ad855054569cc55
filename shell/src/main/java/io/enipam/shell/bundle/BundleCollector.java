package io.enipam.shell.bundle;

import io.enipam.security.SecretRedactor;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.bundle.BundlePart.CollectedPart;
import io.enipam.shell.bundle.BundlePart.CollectedPart.Outcome;
import io.enipam.shell.core.Interrupts;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/**
 * Makes parts one after another, each on a thread of its own that is left behind if it does not end. When the daemon
 * has let two parts wait for nothing, the others get little time.
 */
public final class BundleCollector {
    private static final Duration LITTLE = Duration.ofSeconds(2);
    private static final int PATIENCE = 2;

    private final BundleRedactor masks;
    private final Limits limits;
    private int unanswered;

    /** The longest time and the most bytes of one part, and of all of them before they are packed. */
    public record Limits(Duration eachTime, Duration allTime, int eachBytes, long allBytes) {
        public static final Limits USUAL =
                new Limits(Duration.ofSeconds(15), Duration.ofMinutes(3), 8 << 20, 64L << 20);
    }

    public BundleCollector(BundleRedactor masks, Limits limits) {
        this.masks = masks;
        this.limits = limits;
    }

    /**
     * Makes all of them, in their order. {@code progress} gets each part before it begins, and how many came before it.
     * Throws {@link ShellException} (interrupted) if the context is cancelled.
     */
    public List<CollectedPart> collect(List<BundlePart> parts, BiConsumer<Integer, BundlePart> progress) {
        long begun = System.nanoTime();
        long bytes = 0;
        List<CollectedPart> all = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool(Interrupts.daemonThreads("enipam-part"));
        try {
            for (BundlePart part : parts) {
                progress.accept(all.size(), part);
                Duration left = limits.allTime().minusNanos(System.nanoTime() - begun);
                Duration each = part.asksDaemon() && unanswered >= PATIENCE ? LITTLE : limits.eachTime();
                CollectedPart collected = bytes >= limits.allBytes() || left.isNegative()
                        ? leftOut(part, left.isNegative())
                        : one(part, threads, Collections.min(List.of(left, each)));
                bytes += collected.content().length;
                all.add(collected);
            }
        } finally {
            threads.shutdownNow();
        }
        return List.copyOf(all);
    }

    private static CollectedPart leftOut(BundlePart part, boolean late) {
        String why = late ? "the time for all parts was over" : "the room for all parts was used up";
        return new CollectedPart(part, Outcome.LEFT_OUT, why, Duration.ZERO, false, new byte[0]);
    }

    private CollectedPart one(BundlePart part, ExecutorService threads, Duration within) {
        BoundedBuffer buffer = new BoundedBuffer(limits.eachBytes());
        CancellableContext context = Context.current().withCancellation();
        long begun = System.nanoTime();
        Future<BundlePart.Failure> work =
                threads.submit(context.wrap(() -> part.work().write(buffer)));
        Outcome outcome;
        String why;
        try {
            BundlePart.Failure failure = work.get(within.toNanos(), TimeUnit.NANOSECONDS);
            why = failure.why();
            outcome = failure.absent() ? Outcome.ABSENT : why.isEmpty() ? Outcome.OK : Outcome.FAILED;
        } catch (TimeoutException e) {
            unanswered += part.asksDaemon() ? 1 : 0;
            outcome = Outcome.TIMED_OUT;
            why = "it had not ended after " + within.toMillis() + " ms";
        } catch (ExecutionException | CancellationException e) {
            outcome = Outcome.FAILED;
            why = String.valueOf(e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ShellException.interrupted();
        } finally {
            context.cancel(null);
            work.cancel(true);
        }
        if (Context.current().isCancelled()) {
            throw ShellException.interrupted();
        }
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        String text = masks.redact(new String(buffer.content(), StandardCharsets.UTF_8));
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        boolean whole = outcome != Outcome.TIMED_OUT && !buffer.cut();
        return new CollectedPart(part, outcome, masks.redact(why), took, !whole && content.length > 0, content);
    }

    /** Keeps the first bytes and discards the rest. Thread-safe: a part that was left behind may still write. */
    private static final class BoundedBuffer extends OutputStream {
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final int most;
        private boolean cut;

        BoundedBuffer(int most) {
            this.most = most;
        }

        @Override
        public synchronized void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] data, int offset, int length) {
            int room = Math.min(length, most - kept.size());
            kept.write(data, offset, room);
            cut |= room < length;
        }

        synchronized byte[] content() {
            return kept.toByteArray();
        }

        synchronized boolean cut() {
            return cut;
        }
    }

    /**
     * Removes secrets from text, known ones and what looks like one, and rather too much; JSON stays JSON. It is the
     * second net behind the daemon's own, also for what does not come from the daemon.
     */
    public record BundleRedactor(List<String> known) {
        private static final int SHORTEST_KNOWN = 6;

        /** Knows as secrets the values of the variables that are named like one. */
        public static BundleRedactor of(Map<String, String> environment) {
            return new BundleRedactor(environment.entrySet().stream()
                    .filter(variable -> SecretRedactor.isSecretName(variable.getKey()))
                    .map(Map.Entry::getValue)
                    .filter(value -> value.length() >= SHORTEST_KNOWN)
                    .distinct()
                    .sorted(Comparator.comparingInt(String::length).reversed())
                    .toList());
        }

        public String redact(String text) {
            String masked = text;
            for (String secret : known) {
                masked = masked.replace(secret, SecretRedactor.HIDDEN);
            }
            return SecretRedactor.redact(masked);
        }
    }
}
