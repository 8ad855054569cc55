package io.enipam.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The CNI front, built as the project builds it. */
final class CniFront {
    /** The one that the variable CC names, else the system's. */
    static final String USUAL_COMPILER = "";

    /** A name that no compiler has: the front in Java is built then. */
    static final String NO_COMPILER = "no-compiler-for-this-one";

    private CniFront() {}

    /**
     * @param compiler {@link #USUAL_COMPILER}, or {@link #NO_COMPILER}
     * @return the executable
     */
    static Path built(Path out, String compiler) throws IOException, InterruptedException {
        Path home = Path.of(System.getProperty("enipam.home"));
        ProcessBuilder builder = new ProcessBuilder(
                        home.resolve("runtime/cni/src/main/sh/build-front").toString(),
                        out.toString(),
                        "bench",
                        home.resolve("runtime/cni/target/classes").toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        if (!compiler.equals(USUAL_COMPILER)) {
            builder.environment().put("CC", compiler);
        }
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        boolean inC = !compiler.equals(NO_COMPILER);
        if (builder.start().waitFor() != 0 || Files.exists(out.resolve("enipam-cni.jar")) == inC) {
            throw new IllegalStateException("no front could be built with " + compiler);
        }
        return out.resolve("enipam-cni");
    }
}
