package io.enipam.pluginhost.extension;

import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.pluginhost.guard.GuardedCalls;
import io.enipam.sdk.ClaimId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Calls of parts about claims, each of which is one transaction: those that wait for the same lane are made in one, which costs what one
 * does. Thread-safe.
 *
 * <p>A part has {@value #LANES} lanes, and a claim has always the same one. A transaction for several claims that fails is made again for
 * each of them alone, so that what is wrong with one costs no other one its answer; and the next ones of the part are for half as many,
 * since it may be that there is not enough time for more, until they work.
 */
final class BatchedCalls {
    /** A part has eight threads for all of its calls, and a call that is refused for want of one counts as a failure. */
    private static final int LANES = 6;

    private static final int MOST = 64;

    private static final CompletableFuture<Void> NOTHING_LEFT = CompletableFuture.completedFuture(null);

    private final Duration deadline;
    private final KeyedQueue<String> lanes = new KeyedQueue<>();
    private final Map<Lane, Deque<Waiting<?, ?>>> waiting = new HashMap<>(); // by itself
    /** How many claims a transaction of a part is for at most, where that is not {@link #MOST}. */
    private final Map<GuardedCalls, Integer> fewer = new HashMap<>(); // by waiting

    /** @param deadline of one transaction: the part's code and the commit */
    BatchedCalls(Duration deadline) {
        this.deadline = deadline;
    }

    private record Lane(String part, GuardedCalls calls, int number, String what) {
        String name() {
            return part + "/" + number;
        }
    }

    /** @param alone whether it was in a transaction for several that has failed */
    private record Waiting<Q, A>(Q question, boolean alone, CompletableFuture<A> answer) {}

    /**
     * Has a part answer a question about a claim.
     *
     * @param what is called; with the same text questions and answers are of the same types
     * @param work one transaction for several questions, with an answer to each, in their order
     */
    <Q, A> CompletableFuture<A> run(
            RunningPart part,
            String what,
            ClaimId claim,
            Q question,
            Function<List<Q>, CompletionStage<List<A>>> work) {
        Lane lane = new Lane(part.name(), part.calls(), Math.floorMod(claim.hashCode(), LANES), what);
        CompletableFuture<A> answer = new CompletableFuture<>();
        wait(lane, new Waiting<>(question, false, answer), work);
        return answer;
    }

    private <Q, A> void wait(Lane lane, Waiting<Q, A> one, Function<List<Q>, CompletionStage<List<A>>> work) {
        synchronized (waiting) {
            waiting.computeIfAbsent(lane, none -> new ArrayDeque<>()).add(one);
        }
        lanes.run(lane.name(), () -> {
            List<Waiting<Q, A>> some = taken(lane);
            return some.isEmpty() ? NOTHING_LEFT : call(lane, some, work);
        });
    }

    @SuppressWarnings("unchecked") // of one lane and text all are of the same types
    private <Q, A> List<Waiting<Q, A>> taken(Lane lane) {
        List<Waiting<Q, A>> some = new ArrayList<>();
        synchronized (waiting) {
            Deque<Waiting<?, ?>> all = waiting.getOrDefault(lane, new ArrayDeque<>());
            int most = fewer.getOrDefault(lane.calls(), MOST);
            while (!all.isEmpty()
                    && some.size() < most
                    && (some.isEmpty() || !all.peek().alone())) {
                some.add((Waiting<Q, A>) all.remove());
                if (some.get(0).alone()) {
                    break;
                }
            }
            if (all.isEmpty()) {
                waiting.remove(lane);
            }
        }
        return some;
    }

    private <Q, A> CompletableFuture<Void> call(
            Lane lane, List<Waiting<Q, A>> some, Function<List<Q>, CompletionStage<List<A>>> work) {
        List<Q> questions = some.stream().map(Waiting::question).toList();
        return lane.calls()
                .later(lane.what(), deadline, () -> work.apply(questions))
                .handle((answers, failure) -> {
                    if (some.size() > 1) {
                        note(lane.calls(), some.size(), failure == null);
                    }
                    for (int i = 0; i < some.size(); i++) {
                        Waiting<Q, A> one = some.get(i);
                        if (failure == null) {
                            one.answer().complete(answers.get(i));
                        } else if (some.size() == 1) {
                            one.answer().completeExceptionally(failure);
                        } else {
                            wait(lane, new Waiting<>(one.question(), true, one.answer()), work);
                        }
                    }
                    return null;
                });
    }

    private void note(GuardedCalls part, int claims, boolean worked) {
        synchronized (waiting) {
            int most = fewer.getOrDefault(part, MOST);
            int next = worked ? (claims == most ? 2 * most : most) : Math.max(2, claims / 2);
            if (next >= MOST) {
                fewer.remove(part);
            } else {
                fewer.put(part, next);
            }
        }
    }

    /** The part is closed: another one begins with as many claims as any. */
    void forget(RunningPart part) {
        synchronized (waiting) {
            fewer.remove(part.calls());
        }
    }
}
