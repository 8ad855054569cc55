package io.enipam.shell.command;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.Palette;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** The option {@code --yes} of what cannot be undone, and the question that is asked without it. */
final class Consent {
    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    boolean yes;

    /**
     * Whether it may be done: {@code --yes} was given, or the person says so. One who says no is told that nothing was changed.
     *
     * @param question made only if it is asked
     * @throws ShellException (usage) if nobody can be asked
     */
    boolean given(Session session, Supplier<String> question) {
        if (yes) {
            return true;
        }
        Asker person = session.asker().orElseThrow(Consent::missing);
        boolean agreed = person.agrees(Palette.clean(question.get()));
        if (!agreed) {
            session.screen().out().println("nothing was changed");
        }
        return agreed;
    }

    static ShellException missing() {
        return ShellException.unconfirmed("it has to be confirmed and there is no terminal to ask on", "Add --yes");
    }
}
