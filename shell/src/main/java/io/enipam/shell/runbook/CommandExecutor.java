package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException.FailureOrigin;
import io.enipam.shell.pipe.Pipeline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The commands that a runbook is made of, and the time that it waits by. */
public interface CommandExecutor {
    /** What came of one; {@code origin} is whose refusal it was, empty if done or the last filter found nothing. */
    record Outcome(int status, String output, String error, Optional<FailureOrigin> origin) {
        /** Whether it was done, and its filters found something. */
        public boolean done() {
            return status == ExitStatus.DONE.status();
        }

        /** Whether the daemon said no, or a check did that found something; none of that is said of a run that broke off. */
        public boolean refused() {
            return status == ExitStatus.REFUSED.status()
                    && origin.filter(FailureOrigin::isAnswer).isPresent();
        }

        /** Whether it was done or refused; what was to be written here had to be written. */
        boolean tried() {
            return done() || (status == ExitStatus.REFUSED.status() && !origin.equals(Optional.of(FailureOrigin.HERE)));
        }

        /** Whether what it printed is all there is to be printed, though it may not be good news, or nothing. */
        public boolean whole() {
            return done()
                    || (status == ExitStatus.REFUSED.status()
                            && origin.orElse(FailureOrigin.VERDICT) == FailureOrigin.VERDICT);
        }
    }

    /** Whether it changes the daemon, needs the permission to control, and how many of its words are its name. */
    record Known(boolean changes, boolean control, int nameWords) {}

    /** Checks a command against the grammar; nothing runs. Throws a usage error if it is none for a runbook. */
    Known known(List<String> words);

    Outcome run(Pipeline pipeline);

    /** Asks whether to go on; true if it was said beforehand. */
    boolean agreed(String question);

    /** Nanoseconds since some moment, as {@link System#nanoTime}. */
    long nanos();

    Instant now();

    /** Waits; whether the run may go on, since it was not interrupted. */
    boolean pause(Duration span);
}
