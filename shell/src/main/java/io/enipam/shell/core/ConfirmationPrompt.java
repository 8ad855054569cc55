package io.enipam.shell.core;

/** Somebody who can be asked before a change that cannot be undone. */
@FunctionalInterface
public interface ConfirmationPrompt {
    /** Whether the answer to the question is yes; anything unclear is no. */
    public boolean confirm(String question);
}
