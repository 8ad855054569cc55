package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import java.util.function.UnaryOperator;

/** Something that is wrong with a runbook, at a place in it. */
final class RunbookSyntaxException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient SourcePosition place;
    private final String hint;

    RunbookSyntaxException(SourcePosition place, String why, String hint) {
        super(why);
        this.place = place;
        this.hint = hint;
    }

    RunbookSyntaxException(SourcePosition place, ShellException e) {
        super(e.getMessage(), e);
        this.place = place;
        this.hint = e.hint();
    }

    SourcePosition place() {
        return place;
    }

    /** {@code FILE:LINE:COLUMN: WHY. HINT}, without the secrets that {@code hiding} removes. */
    String line(UnaryOperator<String> hiding) {
        ShellException error = ShellException.usage(String.valueOf(getMessage()), hint);
        return place + ": " + hiding.apply(error.sentence());
    }
}
