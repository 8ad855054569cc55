package io.enipam.shell.attach;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends parts as fast as the other side takes them, and waits for the one answer. If the other side refuses in the middle,
 * no more is sent.
 */
final class Upload<Q, R> implements ClientResponseObserver<Q, R> {
    private final Iterator<Q> parts;
    private final CompletableFuture<R> answer = new CompletableFuture<>();
    private @Nullable R reply;
    private boolean sent;

    Upload(Iterator<Q> parts) {
        this.parts = parts;
    }

    CompletableFuture<R> answer() {
        return answer;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> to) {
        to.setOnReadyHandler(() -> pump(to));
    }

    private void pump(ClientCallStreamObserver<Q> to) {
        try {
            while (!sent && !answer.isDone() && to.isReady()) {
                if (parts.hasNext()) {
                    to.onNext(parts.next());
                } else {
                    sent = true;
                    to.onCompleted();
                }
            }
        } catch (RuntimeException e) {
            // the parts cannot be had: that is what the person is told, and not that the call was cancelled for it
            answer.completeExceptionally(e);
            to.cancel("the file cannot be read", e);
        }
    }

    @Override
    public void onNext(R message) {
        reply = message;
    }

    @Override
    public void onError(Throwable failure) {
        answer.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
        R message = reply;
        if (message == null) {
            answer.completeExceptionally(new IllegalStateException("the daemon ended the call without an answer"));
        } else {
            answer.complete(message);
        }
    }
}
