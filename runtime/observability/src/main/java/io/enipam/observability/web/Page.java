package io.enipam.observability.web;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Serves one path. Thread-safe; may block, on a lane of its own kind. */
@FunctionalInterface
public interface Page {
    /** @throws Exception on a bug, answered with status 500 without its text */
    Response answer(Asked asked) throws Exception;

    /**
     * The parts of a request that a page may use.
     *
     * @param verbose whether the request has {@code ?verbose}
     * @param accept the header {@code Accept}, or empty text
     */
    record Asked(boolean verbose, String accept) {}

    /** A page's answer. Its bytes are not copied: neither producer nor sender may change them. */
    record Response(int status, String contentType, byte[] body) {
        public static Response text(int status, String text) {
            return new Response(status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * A probe of named parts, in the format of Kubernetes' API server: {@code ok}, or with {@code ?verbose} or after a
     * failure one line for each part. Status 200 if all parts are well, else 503. Thread-safe if its parts are.
     */
    record Checks(String name, Supplier<List<Part>> parts) implements Page {
        /**
         * @param trouble the problem; empty if there is none
         * @param fails whether the probe fails for it
         */
        public record Part(String name, Optional<String> trouble, boolean fails) {
            /** One that fails the probe if there is trouble. */
            public Part(String name, Optional<String> trouble) {
                this(name, trouble, trouble.isPresent());
            }

            public static Part well(String name) {
                return new Part(name, Optional.empty());
            }

            /** A trouble that fails no probe, and is reported. */
            public static Part remark(String name, String trouble) {
                return new Part(name, Optional.of(trouble), false);
            }
        }

        @Override
        public Response answer(Asked asked) {
            List<Part> all = parts.get();
            boolean passed = all.stream().noneMatch(Part::fails);
            if (passed && !asked.verbose()) {
                return Response.text(200, "ok\n");
            }
            List<String> lines = new ArrayList<>();
            for (Part part : all) {
                lines.add(part.trouble()
                        .map(trouble -> (part.fails() ? "[-]" + part.name() + " failed: " : "[!]" + part.name() + ": ")
                                + oneLine(trouble))
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
}
