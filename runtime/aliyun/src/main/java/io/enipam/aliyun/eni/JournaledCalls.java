package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsException;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of the cloud on the factory's threads, whose outcomes are turns of their own.
 *
 * <p><b>Written first.</b> A call that makes, moves or destroys something goes out when the journal of cloud operations has it
 * on disk, and not at all if the disk refuses. No turn waits for that: it is one more step between the turn that starts the
 * call and the turn that takes its outcome.
 */
final class JournaledCalls {
    private static final Logger LOG = LoggerFactory.getLogger(JournaledCalls.class);

    private static final String NOT_WRITTEN = "Local.JournalRefused";

    private final StateLock turns;
    private final EcsApi api;
    private final CloudJournal journal;
    private final TimeSource time;
    private final Executor calls;
    private long operationsNamed;

    JournaledCalls(StateLock turns, CloudFactory.Context context) {
        this.turns = turns;
        this.api = context.api();
        this.journal = context.journal();
        this.time = context.time();
        this.calls = context.calls();
    }

    /** Calls the cloud on the factory's threads; the outcome is handled in a turn of its own. */
    <T> void call(Function<EcsApi, T> action, Consumer<T> done, Consumer<EcsException> failed) {
        turns.defer(() -> onCalls(failed, () -> callNow(action, done, failed)));
    }

    /**
     * The same for an operation that is written down first, and is over when the cloud has said yes or no. If the answer is
     * lost, it stays open until the handler has found out.
     */
    <T> void call(
            CloudJournal.Entry operation, Function<EcsApi, T> action, Consumer<T> done, Consumer<EcsException> failed) {
        callLasting(operation, cloud -> ended(operation, action, cloud), done, failed);
    }

    /** The same for an operation that the cloud's answer only begins: it stays open until the handlers say it is over. */
    <T> void callLasting(
            CloudJournal.Entry operation, Function<EcsApi, T> action, Consumer<T> done, Consumer<EcsException> failed) {
        turns.defer(() -> onCalls(failed, () -> written(operation, failed, () -> callNow(action, done, failed))));
    }

    private void onCalls(Consumer<EcsException> failed, Runnable work) {
        try {
            calls.execute(work);
        } catch (RejectedExecutionException e) {
            EcsException closing = new EcsException("Close", "SDK.Closed", 0, "", "the factory is closing");
            turns.applyOutcome(() -> failed.accept(closing));
        }
    }

    /** Ends it before the outcome's turn: what that turn begins on the same ENI must come after the end in the journal. */
    private <T> T ended(CloudJournal.Entry operation, Function<EcsApi, T> action, EcsApi cloud) {
        try {
            T answer = action.apply(cloud);
            journal.end(operation.id());
            return answer;
        } catch (EcsException e) {
            if (!e.outcomeUnknown()) {
                journal.end(operation.id());
            }
            throw e;
        }
    }

    private void written(CloudJournal.Entry operation, Consumer<EcsException> failed, Runnable then) {
        CompletableFuture<Void> durable =
                Stages.call(() -> journal.begin(operation)).toCompletableFuture();
        if (durable.isDone() && !durable.isCompletedExceptionally()) {
            then.run();
            return;
        }
        // The database's thread is not ours to work on.
        durable.whenComplete((done, refusal) -> onCalls(
                failed,
                refusal == null
                        ? then
                        : () -> turns.applyOutcome(() -> failed.accept(notWritten(operation, Stages.cause(refusal))))));
    }

    private <T> void callNow(Function<EcsApi, T> action, Consumer<T> done, Consumer<EcsException> failed) {
        Runnable outcome;
        try {
            T answer = action.apply(api);
            outcome = () -> done.accept(answer);
        } catch (EcsException e) {
            outcome = () -> failed.accept(e);
        } catch (RuntimeException e) {
            LOG.error("a call of the cloud ended in a way the client does not know", e);
            String kind = e.getClass().getSimpleName();
            outcome = () -> failed.accept(new EcsException("Call", "SDK.Unknown", 0, "", kind));
        }
        turns.applyOutcome(outcome);
    }

    /** Names an operation that is to be written down. */
    CloudJournal.Entry operation(CloudOperation operation) {
        return CloudJournal.Entry.of(operation, time.now(), ++operationsNamed);
    }

    /** Has the journal forget an operation: its outcome is known. */
    void endOperation(CloudJournal.Entry operation) {
        turns.defer(() -> journal.end(operation.id()));
    }

    List<CloudJournal.Entry> open() {
        return journal.open();
    }

    /** Counts as a refusal: nothing was done, and it may be asked again later. */
    private static EcsException notWritten(CloudJournal.Entry operation, Throwable refusal) {
        String why = "the operation could not be written down first (" + refusal.getMessage()
                + "), so the cloud was not asked; check the disk of the database";
        return new EcsException(operation.operation().name(), NOT_WRITTEN, 400, "", why);
    }

    static boolean isNotWritten(EcsException failure) {
        return failure.code().equals(NOT_WRITTEN);
    }
}
