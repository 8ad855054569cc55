package io.enipam.shell.core;

import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A change whose outcome the daemon can say before it is made. With {@code --dry-run} only that is printed. Without
 * {@code --yes} the daemon is asked for it first, and the operator is asked with it in the question. Where no operator
 * can be asked the change is refused.
 *
 * @param <R> what the daemon replies, to a dry run as to the change
 */
public abstract class PreviewedCommand<R> extends ControlCommand {
    @Option(names = "--dry-run", description = "Only say what would be done.")
    protected boolean dryRun;

    @Mixin
    protected ConfirmationOption consent = new ConfirmationOption();

    @Override
    public boolean changes() {
        return !dryRun;
    }

    @Override
    public boolean needsConfirmation() {
        return !dryRun && !consent.yes;
    }

    /** Asks the daemon for the change, or only for what it would be. */
    protected abstract R ask(boolean dry);

    /** What the operator has to agree to; empty if nothing would change, so that the preview is the whole answer. */
    protected abstract Optional<String> question(R preview);

    protected abstract void show(R reply);

    @Override
    protected void run() {
        if (!needsConfirmation()) {
            show(ask(dryRun));
            return;
        }
        if (session.asker().isEmpty()) {
            throw ConfirmationOption.missing();
        }
        R preview = ask(true);
        Optional<String> question = question(preview);
        if (question.isEmpty()) {
            show(preview);
        } else if (consent.given(session, question::get)) {
            show(ask(false));
        }
    }
}
