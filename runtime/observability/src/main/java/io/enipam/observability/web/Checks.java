package io.enipam.observability.web;

import io.enipam.observability.web.Page.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A probe of named parts, in the format of Kubernetes' API server: {@code ok}, or with {@code ?verbose} or after a
 * failure one line for each part. Status 200 if all parts are well, else 503. Thread-safe if its parts are.
 *
 * @param name of the probe
 */
public record Checks(String name, Supplier<List<Part>> parts) implements Page {
    /**
     * One part.
     *
     * @param trouble the problem; empty if there is none
     */
    public record Part(String name, Optional<String> trouble) {
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

    /** Text from a disk or a cloud must not look like another part. */
    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}+", " ").strip();
    }
}
