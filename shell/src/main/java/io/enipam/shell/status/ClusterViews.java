package io.enipam.shell.status;

import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.ClusterStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The link to the cluster, in a line. */
public final class ClusterViews {
    private ClusterViews() {}

    /** {@code https://10.0.0.1:6443, watched for 3h, 12 pods, heard 4s ago, 7 requests a minute}, and whatever else is not well. */
    public static Table.Cell line(ClusterStatus cluster, Instant now) {
        return new Table.Cell(cluster.getServer() + ", " + figures(cluster, now), tone(cluster));
    }

    /** The same without the server's address. */
    public static String figures(ClusterStatus cluster, Instant now) {
        List<String> words = new ArrayList<>();
        String span = TimeFormat.age(cluster.getSince(), now);
        words.add(
                cluster.getWatching() ? "watched for " + span : "not heard for " + span + ": " + cluster.getTrouble());
        words.add(count(cluster.getPods(), "pod"));
        if (cluster.hasLastHeard()) {
            words.add("heard " + TimeFormat.age(cluster.getLastHeard(), now) + " ago");
        }
        words.add(count(cluster.getRequestsLastMinute(), "request") + " a minute");
        some(words, cluster.getThrottled(), "throttled");
        some(words, cluster.getEventsLost(), cluster.getEventsLost() == 1 ? "event lost" : "events lost");
        some(
                words,
                cluster.getLeasesOnTrust(),
                cluster.getLeasesOnTrust() == 1 ? "lease by its call alone" : "leases by their calls alone");
        return String.join(", ", words);
    }

    /** Whether it can be relied on. */
    public static Tone tone(ClusterStatus cluster) {
        return cluster.getWatching() ? Tone.PLAIN : Tone.BAD;
    }

    private static void some(List<String> words, long number, String what) {
        if (number > 0) {
            words.add(number + " " + what);
        }
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
