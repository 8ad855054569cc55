package io.enipam.shell.core;

import com.google.gson.JsonObject;
import io.enipam.shell.attach.ShellException;
import java.util.List;

/** The one line about a failure: for an operator, or with the same in fields for a program that asked for fields. */
public final class ErrorLine {
    private ErrorLine() {}

    /** @param what what failed; empty if nothing was tried yet */
    public static String forPerson(Palette palette, String what, ShellException e) {
        return palette.paint(Tone.BAD, "enipam:") + " " + format(what, e);
    }

    /** The same without the program's name. */
    public static String format(String what, ShellException e) {
        String line = what.isEmpty() ? e.sentence() : e.line(what);
        return Palette.clean(line.replaceAll("\\s*\\R\\s*", " "));
    }

    /** {@code {"code":…,"message":…,"hint":…,"command":…,"exit":…}}; a code is always there, else unknown is empty. */
    public static String forProgram(String command, ShellException e) {
        JsonObject line = new JsonObject();
        line.addProperty("code", e.tag());
        line.addProperty("message", String.valueOf(e.getMessage()));
        line.addProperty("hint", e.hint());
        line.addProperty("command", command);
        line.addProperty("exit", e.exit().status());
        return JsonOutput.harmless(line.toString());
    }

    /** Whether a program asked: by the last format that the words name (they may not parse), else by the session's. */
    public static boolean isForProgram(OutputFormat session, List<String> words) {
        String named = "";
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if ((word.equals("-o") || word.equals("--output")) && i + 1 < words.size()) {
                named = words.get(i + 1);
            } else if (word.startsWith("--output=")) {
                named = word.substring("--output=".length());
            } else if (word.startsWith("-o") && !word.equals("-o")) {
                named = word.substring(word.startsWith("-o=") ? 3 : 2);
            }
        }
        return named.isEmpty()
                ? session.structured()
                : named.equalsIgnoreCase("json") || named.equalsIgnoreCase("yaml");
    }
}
