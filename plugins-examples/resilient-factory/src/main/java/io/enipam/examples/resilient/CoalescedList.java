package io.enipam.examples.resilient;

import io.enipam.sdk.Resource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of the provider for all callers that need its list at about the same time.
 *
 * <p><b>What it must never do</b> is to return an old state: the engine takes what is missing in a list for lost, and lends what
 * is in it. So an answer, ready or under way, is shared only while it was asked for no longer than {@code maxAge} ago
 * <em>and nothing was made or unmade since</em>: every begin and every end of a create or dispose makes the next list a new
 * question. What remains is that a loss outside (an operator deletes an address in the console) may be seen {@code maxAge} later.
 * A failure goes to the callers that waited for it and never kept: a provider that is down has no list, and the last good one is
 * no substitute.
 *
 * <p>Thread-safe; {@code this} guards the fields, and is not held while the provider is asked.
 */
final class CoalescedList {
    private final Supplier<CompletionStage<List<Resource>>> provider;
    private final Clock clock;
    private final Duration maxAge;
    private @Nullable Answer latest;

    private record Answer(CompletableFuture<List<Resource>> list, Instant asked) {}

    CoalescedList(Supplier<CompletionStage<List<Resource>>> provider, Clock clock, Duration maxAge) {
        this.provider = provider;
        this.clock = clock;
        this.maxAge = maxAge;
    }

    /** Something is being made or unmade, or just was: no answer asked for before this is good any more. */
    synchronized void changed() {
        latest = null;
    }

    /** The list; each caller has a stage of its own. */
    CompletionStage<List<Resource>> get() {
        CompletableFuture<List<Resource>> list;
        boolean mine = false;
        synchronized (this) {
            Instant now = clock.instant();
            Answer shared = latest;
            if (shared != null && isFresh(shared, now)) {
                list = shared.list;
            } else {
                mine = true;
                list = new CompletableFuture<>();
                latest = new Answer(list, now);
            }
        }
        if (mine) {
            ask(list);
        }
        CompletableFuture<List<Resource>> own = new CompletableFuture<>();
        StageOutcome.relay(list, own);
        return own;
    }

    private boolean isFresh(Answer answer, Instant now) {
        return now.isBefore(answer.asked.plus(maxAge)) && !answer.list.isCompletedExceptionally();
    }

    private void ask(CompletableFuture<List<Resource>> list) {
        try {
            StageOutcome.relay(provider.get(), list);
        } catch (RuntimeException e) {
            list.completeExceptionally(e);
        }
    }
}
