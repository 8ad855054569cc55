package io.enipam.shell.command;

/** Somebody who can be asked before a change that cannot be undone. */
@FunctionalInterface
public interface Asker {
    /** Whether the answer to the question is yes; anything unclear is no. */
    boolean agrees(String question);
}
