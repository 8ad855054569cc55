package io.enipam.kubernetes.events;

import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.api.ApiSerialization;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.events.EventReporter.EventCorrelator.EventSeries;
import io.enipam.kubernetes.events.EventReporter.EventNotice;
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
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
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
                } catch (RuntimeException | Error e) {
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
            client.resource(event)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), ApiSerialization.INSTANCE.asJson(changed));
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

    /**
     * Decides what becomes of a notice: a new event, a report of a series, or only a count. The numbers are those of
     * client-go's correlator: equal notices within ten minutes form a series, and an object has 25 requests at once and one
     * more every five minutes; all objects of the node together have {@value #NODE_BURST} and one more every few seconds.
     * Messages that differ only in times and request ids are equal. A series is reported at its counts 2, 4, 8 and so on,
     * and once a minute.
     *
     * <p>Intervals are measured by the monotonic clock; dates are only for display.
     *
     * <p>Bounded: the least recently used series are forgotten. Not thread-safe: only the reporter's thread calls it.
     *
     * @see <a href="https://pkg.go.dev/k8s.io/client-go/tools/record#EventCorrelator">EventCorrelator</a>
     */
    static final class EventCorrelator {
        static final int BURST = 25;
        static final Duration REFILL = Duration.ofMinutes(5);
        private static final Duration SAME = Duration.ofMinutes(10);
        private static final Duration TOLD_AGAIN = Duration.ofMinutes(1);
        private static final int MOST = 2_048;

        /** The node's burst of requests for all its pods: problems often affect ten thousand nodes at once. */
        static final int NODE_BURST = 100;

        /** The interval at which the node gets one more. */
        static final Duration NODE_REFILL = Duration.ofSeconds(6);

        private final Map<EventNotice, EventSeries> series = bounded();
        private final Map<String, Allowance> allowances = bounded();

        /** @param fresh whether to create the event; otherwise its count changes */
        record Decision(EventSeries series, boolean fresh) {}

        private Allowance ofNode = new Allowance(NODE_BURST, Optional.empty());

        /** @param at time of the state, in nanoseconds; empty before the first use */
        private record Allowance(double left, Optional<Long> at) {
            private Allowance now(long nanos, int burst, Duration refill) {
                double refilled = (double) (nanos - at.orElse(nanos)) / refill.toNanos();
                return new Allowance(Math.min(burst, left + refilled), Optional.of(nanos));
            }

            private Allowance less() {
                return new Allowance(left - 1, at);
            }
        }

        /** Decides about a notice, by the date and the monotonic clock; empty if nothing is to be reported now. */
        Optional<Decision> decide(EventNotice told, Instant now, long nanos, Supplier<String> newName) {
            EventNotice notice = told.lasting();
            EventSeries known = series.get(notice);
            boolean same = known != null && nanos - known.lastNanos() < SAME.toNanos();
            EventSeries next = same ? known.again(now, nanos) : EventSeries.begun(newName.get(), now, nanos);
            series.put(notice, next);
            boolean worthTelling =
                    !same || Integer.bitCount(next.count()) == 1 || nanos - next.toldNanos() >= TOLD_AGAIN.toNanos();
            if (!worthTelling || !allowed(notice, nanos)) {
                if (!same) {
                    // the event was never created: the next notice is the first
                    series.remove(notice);
                }
                return Optional.empty();
            }
            EventSeries counted = next.toldAt(nanos);
            series.put(notice, counted);
            return Optional.of(new Decision(counted, !same));
        }

        /** The API server no longer has the event, or never had it: the next notice creates one. */
        void forget(EventNotice notice) {
            series.remove(notice.lasting());
        }

        private boolean allowed(EventNotice notice, long nanos) {
            String object = notice.pod().map(Object::toString).orElse("") + " " + notice.uid();
            Allowance allowance = allowances
                    .getOrDefault(object, new Allowance(BURST, Optional.empty()))
                    .now(nanos, BURST, REFILL);
            ofNode = ofNode.now(nanos, NODE_BURST, NODE_REFILL);
            // normal events leave half of the budget to warnings
            boolean allowed = allowance.left() >= 1 && ofNode.left() >= (notice.warning() ? 1 : NODE_BURST / 2);
            allowances.put(object, allowed ? allowance.less() : allowance);
            ofNode = allowed ? ofNode.less() : ofNode;
            return allowed;
        }

        private static <K, V> Map<K, V> bounded() {
            return new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                    return size() > MOST;
                }
            };
        }

        /**
         * A repeated notice, as one event with a count.
         *
         * @param name the event's name on the API server
         * @param count number of notices, from 1
         * @param lastNanos the same as {@code last}, by the monotonic clock
         * @param toldNanos time of the last report to the API server, by the same clock
         */
        record EventSeries(String name, Instant first, Instant last, int count, long lastNanos, long toldNanos) {
            static EventSeries begun(String name, Instant now, long nanos) {
                return new EventSeries(name, now, now, 1, nanos, nanos);
            }

            EventSeries again(Instant now, long nanos) {
                return new EventSeries(name, first, now, count + 1, nanos, toldNanos);
            }

            EventSeries toldAt(long nanos) {
                return new EventSeries(name, first, last, count, lastNanos, nanos);
            }
        }
    }
}
