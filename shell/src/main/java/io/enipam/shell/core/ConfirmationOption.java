package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** The option {@code --yes} of what cannot be undone, and the question that is asked without it. */
public final class ConfirmationOption {
    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    public boolean yes;

    /** Whether it may be done; if not, prints "nothing was changed". Throws a usage error without an operator to ask. */
    public boolean given(Session session, Supplier<String> question) {
        if (yes) {
            return true;
        }
        Predicate<String> person = session.asker().orElseThrow(ConfirmationOption::missing);
        boolean agreed = person.test(Palette.clean(question.get()));
        if (!agreed) {
            session.screen().out().println("nothing was changed");
        }
        return agreed;
    }

    public static ShellException missing() {
        return ShellException.unconfirmed("it has to be confirmed and there is no terminal to ask on", "Add --yes");
    }
}
