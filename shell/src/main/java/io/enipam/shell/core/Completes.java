package io.enipam.shell.core;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says of an option or a positional what live values it takes, so that the completer can ask the daemon for them. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Completes {
    public CompletionKind value();
}
