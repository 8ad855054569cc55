package io.enipam.diagnostics.sources;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.PodNetworkSpec;
import io.enipam.kubernetes.pods.WatchedPod.PodDetails;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** A pod as the API server has it, in one sentence. */
final class PodWords {
    private static final long KIBI = 1024;

    private PodWords() {}

    static String of(Pod pod, Optional<PodDetails> details) {
        List<String> words = new ArrayList<>();
        words.add("pod " + pod.ref() + (pod.finished() ? " has finished" : " exists"));
        details.ifPresent(known -> {
            if (!known.phase().isEmpty()) {
                words.add(known.phase());
            }
            if (known.deleting().isPresent()) {
                words.add("being deleted");
            }
            if (!known.owner().isEmpty()) {
                words.add("of " + known.owner());
            }
            if (!pod.uid().isEmpty()) {
                words.add("uid " + pod.uid());
            }
            words.add(
                    pod.addresses().isEmpty()
                            ? "without an address"
                            : "address "
                                    + pod.addresses().stream()
                                            .map(AddressFormat::text)
                                            .collect(Collectors.joining(" and ")));
        });
        if (!pod.stick().isZero()) {
            words.add("its address is kept for it for " + span(pod.stick()));
        }
        wishes(pod.wishes(), words);
        return String.join(", ", words);
    }

    private static void wishes(PodNetworkSpec wishes, List<String> words) {
        rate("in", wishes.ingress(), words);
        rate("out", wishes.egress(), words);
        if (wishes.ownEni()) {
            words.add("wants an ENI of its own");
        }
    }

    private static void rate(String direction, OptionalLong bytes, List<String> words) {
        if (bytes.isPresent()) {
            words.add("wants at most " + rate(bytes.getAsLong()) + " " + direction);
        }
    }

    /** As annotations write it, where that is no less exact. */
    private static String rate(long bytes) {
        String units = "KMGT";
        long rest = bytes;
        int power = 0;
        while (power < units.length() && rest >= KIBI && rest % KIBI == 0) {
            rest /= KIBI;
            power++;
        }
        return rest + " " + (power == 0 ? "" : units.charAt(power - 1) + "i") + "B/s";
    }

    private static String span(Duration span) {
        return span.toSeconds() % 60 == 0 ? span.toMinutes() + "m" : span.toSeconds() + "s";
    }
}
