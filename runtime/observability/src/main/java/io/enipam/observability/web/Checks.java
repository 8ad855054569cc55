package io.enipam.observability.web;

import io.enipam.observability.web.Page.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A probe made of named parts, told as the API server of Kubernetes tells its own: {@code ok}, or with {@code ?verbose} or a
 * failure one line for each part. Status 200 if all are well, else 503. Thread-safe if its parts are.
 *
 * @param name of the probe
 */
public record Checks(String name, Supplier<List<Part>> parts) implements Page {
    /**
     * One part.
     *
     * @param trouble what is wrong; empty if it is well
     */
    public record Part(String name, Optional<String> trouble) {
        /** One that is well. */
        public static Part well(String name) {
            return new Part(name, Optional.empty());
        }
    }

    @Override
    public Response answer(Asked asked) {
        List<Part> all = parts.get();
        boolean passed = all.stream().allMatch(part -> part.trouble().isEmpty());
        if (passed && !asked.verbose()) {
            return Response.text(200, "ok\n");
        }
        List<String> lines = new ArrayList<>();
        for (Part part : all) {
            lines.add(part.trouble()
                    .map(trouble -> "[-]" + part.name() + " failed: " + oneLine(trouble))
                    .orElse("[+]" + part.name() + " ok"));
        }
        lines.add(name + " check " + (passed ? "passed" : "failed"));
        return Response.text(passed ? 200 : 503, String.join("\n", lines) + "\n");
    }

    /** What comes from a disk or a cloud shall not look like another part. */
    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}+", " ").strip();
    }
}
