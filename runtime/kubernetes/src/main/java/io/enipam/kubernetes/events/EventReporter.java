package io.enipam.kubernetes.events;

import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.events.EventCorrelator.EventSeries;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends notices to the API server, one at a time, on a thread of its own. Thread-safe; {@link #enqueue} never blocks
 * and never throws: while the API server is slow or away, notices beyond the queue are lost, and counted.
 *
 * <p>The events are those of the core API, which every server since 1.0 has and keeps; the newer {@code events.k8s.io}
 * shows the same ones.
 */
public final class EventReporter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventReporter.class);
    private static final int WAITING = 512;
    private static final int LONGEST_REASON = 300;
    private static final String COMPONENT = "enipam";

    private final ApiServerClient calls;
    private final TimeSource time;
    private final String node;
    private final BlockingQueue<EventNotice> waiting = new ArrayBlockingQueue<>(WAITING);
    private final EventCorrelator correlator = new EventCorrelator();
    private final AtomicReference<Lost> lost = new AtomicReference<>(new Lost(0, Optional.empty(), ""));
    private final AtomicLong names = new AtomicLong();
    private final Thread thread = DaemonThreads.named("cluster-events").newThread(this::run);

    /** @param node name of the node in the cluster */
    public EventReporter(ApiServerClient calls, TimeSource time, String node) {
        this.calls = calls;
        this.time = time;
        this.node = node;
        thread.start();
    }

    public void enqueue(EventNotice notice) {
        if (!waiting.offer(notice)) {
            drop(WAITING + " others were waiting to be told");
        }
    }

    /** The lost notices: the queue was full, or the API server did not accept them. */
    public Lost dropped() {
        return lost.get();
    }

    private void drop(@Nullable String why) {
        Optional<Instant> now = Optional.of(time.now());
        String reason = String.valueOf(why);
        String shown = reason.length() <= LONGEST_REASON ? reason : reason.substring(0, LONGEST_REASON) + "...";
        lost.updateAndGet(before -> new Lost(before.lost() + 1, now, shown));
    }

    int waiting() {
        return waiting.size();
    }

    private void run() {
        try {
            while (true) {
                EventNotice notice = waiting.take();
                try {
                    report(notice);
                } catch (RuntimeException e) {
                    drop(e.getMessage());
                    LOG.warn("the event {} was not told: {}", notice.reason(), e.toString());
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("no more events are told: closed");
        }
    }

    private void report(EventNotice notice) {
        Instant now = time.now();
        correlator
                .decide(notice, now, time.nanoTime(), () -> name(notice, now))
                .ifPresent(decision -> send(notice, decision.series(), decision.fresh()));
    }

    private void send(EventNotice notice, EventSeries series, boolean fresh) {
        String what = (fresh ? "POST" : "PATCH") + " event " + series.name();
        try {
            boolean there = calls.request(
                            what,
                            client -> fresh ? create(client, event(notice, series)) : counted(client, notice, series))
                    .join();
            if (!there) {
                // events live for an hour: afterwards it is a new one
                correlator.forget(notice);
                waiting.offer(notice);
            }
        } catch (CompletionException | CancellationException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            drop(cause.getMessage());
            if (fresh) {
                correlator.forget(notice);
            }
            LOG.debug("the event was not told", e);
        }
    }

    private static boolean create(KubernetesClient client, Event event) {
        client.resource(event).create();
        return true;
    }

    /** One request: a client that first checked for the event could still find it gone a moment later. */
    private boolean counted(KubernetesClient client, EventNotice notice, EventSeries series) {
        String last = text(series.last());
        Map<String, ?> changed = Map.of("count", series.count(), "lastTimestamp", last, "message", notice.message());
        // a local object: otherwise the client would first get it from the server
        Event event = new EventBuilder().withMetadata(metadata(notice, series)).build();
        try {
            client.resource(event).patch(PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(changed));
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HTTP_NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    private Event event(EventNotice notice, EventSeries series) {
        return new EventBuilder()
                .withMetadata(metadata(notice, series))
                .withInvolvedObject(object(notice))
                .withType(notice.warning() ? "Warning" : "Normal")
                .withReason(notice.reason())
                .withMessage(notice.message())
                .withCount(series.count())
                .withFirstTimestamp(text(series.first()))
                .withLastTimestamp(text(series.last()))
                .withNewSource(COMPONENT, node)
                .withReportingComponent(COMPONENT)
                .withReportingInstance(node)
                .build();
    }

    private ObjectReference object(EventNotice notice) {
        return notice.pod()
                .map(pod -> new ObjectReferenceBuilder()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withNamespace(pod.namespace())
                        .withName(pod.name())
                        .withUid(notice.uid().isEmpty() ? null : notice.uid())
                        .build())
                // kubelets put the node's name in the place of its UID, and kubectl searches by it
                .orElseGet(() -> new ObjectReferenceBuilder()
                        .withApiVersion("v1")
                        .withKind("Node")
                        .withName(node)
                        .withUid(node)
                        .build());
    }

    /** Events of objects without a namespace are in {@code default}. */
    private static ObjectMeta metadata(EventNotice notice, EventSeries series) {
        String namespace = notice.pod().map(PodRef::namespace).orElse("default");
        return new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName(series.name())
                .build();
    }

    private String name(EventNotice notice, Instant now) {
        String object = notice.pod().map(PodRef::name).orElse(node);
        long unique = ChronoUnit.MICROS.between(Instant.EPOCH, now) * 1_000 + names.incrementAndGet() % 1_000;
        String end = "." + Long.toHexString(unique);
        return object.substring(0, Math.min(object.length(), 253 - end.length())) + end;
    }

    private static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    /**
     * Losses since the start.
     *
     * @param why its reason, for operators; empty text if nothing was lost
     */
    public record Lost(long lost, Optional<Instant> last, String why) {}

    /**
     * A report about a pod or the node.
     *
     * @param pod empty for the node
     * @param uid the pod's UID, or empty text if unknown
     * @param reason in CamelCase, of a bounded set
     */
    public record EventNotice(Optional<PodRef> pod, String uid, boolean warning, String reason, String message) {
        /** The API server's limit of a message. */
        public static final int LONGEST = 1024;

        public EventNotice {
            message = message.length() <= LONGEST ? message : message.substring(0, LONGEST - 3) + "...";
        }

        /** Variable parts of a message: durations, times and request ids. */
        private static final Pattern PASSING = Pattern.compile("\\b\\d+(?:\\.\\d+)? ?(?:ms|s|min|h)\\b"
                + "|\\b\\d{1,2}:\\d{2}:\\d{2}\\b"
                + "|\\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\\b");

        /** The message without its variable parts: equal for notices of the same thing. */
        EventNotice lasting() {
            return new EventNotice(
                    pod, uid, warning, reason, PASSING.matcher(message).replaceAll("#"));
        }

        public static EventNotice ofPod(PodRef pod, String uid, boolean warning, String reason, String message) {
            return new EventNotice(Optional.of(pod), uid, warning, reason, message);
        }

        public static EventNotice ofNode(boolean warning, String reason, String message) {
            return new EventNotice(Optional.empty(), "", warning, reason, message);
        }
    }
}
