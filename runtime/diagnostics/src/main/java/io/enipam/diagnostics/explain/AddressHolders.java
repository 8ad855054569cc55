package io.enipam.diagnostics.explain;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.aliyun.api.CloudApi;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Who has an address that is not this node's: the cloud is asked for one address at a time, within the operators' share
 * of the calls, and its answers are kept for a while. Thread-safe; no caller waits for another one's question.
 */
final class AddressHolders {
    private static final Duration KEPT = Duration.ofSeconds(30);
    private static final int MOST = 256;
    /** Longer than any answer takes; a question that has none then is given up. */
    private static final Duration PROMISE = Duration.ofMinutes(2);

    private final OperatorQuota share;
    private final TimeSource time;

    /** By address, the oldest first; the one that is under way is the last. */
    @GuardedBy("this")
    private final Map<String, Question> questions = new LinkedHashMap<>();

    @GuardedBy("this")
    private Optional<CompletableFuture<List<ObservedEni>>> underWay = Optional.empty();

    AddressHolders(OperatorQuota share, TimeSource time) {
        this.share = share;
        this.time = time;
    }

    private record Question(long asked, CompletableFuture<List<ObservedEni>> answer) {}

    /** Fails with TRY_AGAIN if no call is allowed now, and as the cloud does; may take as long as the cloud. */
    CompletableFuture<List<ObservedEni>> of(CloudInspector witness, String vswitch, String address) {
        CompletableFuture<List<ObservedEni>> answer = new CompletableFuture<>();
        synchronized (this) {
            long now = time.nanoTime();
            questions
                    .values()
                    .removeIf(known -> known.answer().isDone()
                            && (known.answer().isCompletedExceptionally() || now - known.asked() >= KEPT.toNanos()));
            Question known = questions.get(address);
            if (known != null) {
                return known.answer().copy();
            }
            if (underWay.filter(asked -> !asked.isDone()).isPresent()) {
                return CompletableFuture.failedFuture(new IpamException(
                        ErrorCode.TRY_AGAIN,
                        "asked too often; again in a moment: the cloud is being asked for another address",
                        ""));
            }
            try {
                share.take(CloudApi.DESCRIBE_NETWORK_INTERFACES, 1);
            } catch (IpamException refusal) {
                return CompletableFuture.failedFuture(refusal);
            }
            if (questions.size() >= MOST) {
                questions.remove(questions.keySet().iterator().next());
            }
            questions.put(address, new Question(now, answer));
            underWay = Optional.of(answer);
        }
        // else one that is never answered would keep all others from being put
        answer.orTimeout(PROMISE.toMinutes(), TimeUnit.MINUTES);
        try {
            Stages.call(() -> witness.holders(vswitch, List.of(address))).whenComplete((told, failure) -> {
                if (failure == null) {
                    answer.complete(told);
                } else {
                    answer.completeExceptionally(Stages.cause(failure));
                }
            });
        } catch (Error e) {
            answer.completeExceptionally(e);
        }
        return answer.copy();
    }
}
