package io.enipam.shell.runbook;

/** Where the text of a runbook is from: a file, the library, a pipe. */
public interface ScriptSource {
    /** What messages call it. */
    String name();

    /** What tells it from others, so that a file that includes itself is known under each of its names. */
    String identity();

    /**
     * The whole text.
     *
     * @throws io.enipam.shell.attach.ShellException (usage) if it is not there, cannot be read, is too large, or is no text
     */
    String text();

    /** What {@code include} means by a name in this one; whether there is such a file shows when its text is read. */
    ScriptSource included(String name);
}
