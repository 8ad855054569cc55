package io.enipam.sdk.cluster;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The API server of the host's cluster. Thread-safe; no method blocks.
 *
 * <p><b>Answers.</b> A stage completes within {@value #LONGEST_SECONDS} s, on a thread of the host's that must not be blocked, and
 * never exceptionally: what does not work is a {@link Reply} with a failure. Nothing is sent twice; whoever asks decides whether to
 * ask again. The kind of a failure says what is known:
 *
 * <table>
 * <caption>Failures</caption>
 * <tr><th>kind</th><th>what happened</th><th>was it done</th></tr>
 * <tr><td>{@link ErrorKind#CONFLICT}</td><td>the object has changed since, is another one of its name, or exists already</td><td>no</td></tr>
 * <tr><td>{@link ErrorKind#NOT_FOUND}</td><td>there is no such object</td><td>no</td></tr>
 * <tr><td>{@link ErrorKind#DEADLINE_EXCEEDED}</td><td>no answer in time, or the server does not know either</td><td><b>unknown</b>, and it
 * may still be done: {@link #get} tells later</td></tr>
 * <tr><td>{@link ErrorKind#THROTTLED}</td><td>the server, or the host's own limit of requests, wants fewer</td><td>no</td></tr>
 * <tr><td>{@link ErrorKind#UNAVAILABLE}</td><td>the server cannot be reached or is not ready, or this replica does not lead</td><td>no</td></tr>
 * <tr><td>{@link ErrorKind#UNAUTHORIZED}</td><td>the host's account may not do this; the message names verb and resource</td><td>no</td></tr>
 * <tr><td>{@link ErrorKind#MISCONFIGURED}</td><td>the server refuses the content, or has no such kind of object</td><td>no</td></tr>
 * <tr><td>{@link ErrorKind#INTERNAL}</td><td>the server does not understand the request</td><td>no</td></tr>
 * </table>
 *
 * <p><b>Limits.</b> The parts of a host have as many requests a second as {@code kubernetes.requests_per_second} says, all together
 * and watches aside, 32 of them at once; pods of a node never wait for them. One that cannot be sent within seconds is
 * {@code THROTTLED} or {@code UNAVAILABLE}.
 *
 * <p><b>Leadership.</b> Of several replicas of a host one leads. Writes ({@link #create}, {@link #patch}, {@link #delete},
 * {@link #report}) are sent by it alone: right before one is sent, the host looks whether it still leads. One that is on its way when
 * the lease is lost may arrive; by its precondition ({@link Patch#ifUnchanged}) it does no harm then.
 */
public interface Cluster {
    /** In seconds: how long an answer takes at most. */
    int LONGEST_SECONDS = 20;

    /**
     * The local copy of all objects of a kind. All parts share one watch of a kind: it begins with the first informer, and ends when the
     * last one is closed.
     *
     * @return closed by the caller
     * @throws FactoryException {@link ErrorKind#QUOTA_EXHAUSTED} if 20 kinds are watched already
     */
    Informer informer(ObjectKind kind);

    /** An object as it is now, past all caches. */
    CompletionStage<Reply<ClusterObject>> get(ObjectRef ref);

    /**
     * Creates an object.
     *
     * @param object its uid, resourceVersion and deletion are ignored
     * @return the object as the server made it
     */
    CompletionStage<Reply<ClusterObject>> create(ClusterObject object);

    /** Changes an object, its finalizers or its status; returns the object as it is then. */
    CompletionStage<Reply<ClusterObject>> patch(ObjectRef ref, Patch patch);

    /**
     * Deletes an object if it is still as the caller knows it. An object that has finalizers stays, with the time of its deletion, until the
     * last one is removed.
     *
     * @return whether there was one
     */
    CompletionStage<Reply<Boolean>> delete(ClusterObject object);

    /** Creates an event about an object; each call makes one. */
    CompletionStage<Reply<Boolean>> report(ClusterObject about, ClusterEvent event);

    /** Whether this replica leads now; true where there are no replicas. Cheap. */
    boolean leads();

    /** The replica that was the leader when this one last heard of it; empty if it knows of none. */
    Optional<String> leader();
}
