package io.enipam.aliyun.client;

import io.enipam.aliyun.api.EcsException;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Calls of the cloud for callers that must not wait. */
public final class AsyncCalls {
    private AsyncCalls() {}

    /**
     * Asks on one of the threads. The stage fails with {@link FactoryException} if the cloud refuses or the threads have
     * ended, and with whatever else the question throws.
     */
    public static <T> CompletionStage<T> ask(Executor threads, Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                try {
                    answer.complete(question.get());
                } catch (EcsException e) {
                    answer.completeExceptionally(e.asFactoryException());
                } catch (Throwable e) {
                    // also an error: a question that is never answered would keep all later ones waiting
                    answer.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(
                    new FactoryException(ErrorKind.UNAVAILABLE, "the cloud is asked no more: the daemon ends", e));
        }
        return answer;
    }
}
