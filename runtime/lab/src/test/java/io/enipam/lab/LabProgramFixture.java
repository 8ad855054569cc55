package io.enipam.lab;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Runs the program in this JVM, from its own command line. */
abstract class LabProgramFixture {
    /** The exit status of the last run. */
    int status;

    /** What it prints. */
    final String run(String... words) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        status = LabMain.run(new PrintStream(bytes, false, StandardCharsets.UTF_8), words);
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
