package io.enipam.sdk;

/**
 * A line of what a {@link Command} follows.
 *
 * @param text what a person reads, in one line
 * @param json the same for programs, one JSON object; empty for {@code {"text": ...}}
 * @param place names the line, in {@code [A-Za-z0-9._:-]{0,128}}: a shell that has lost the daemon follows anew behind the last one that it
 *     has read; empty if lines have no such names
 */
public record Line(String text, String json, String place) {}
