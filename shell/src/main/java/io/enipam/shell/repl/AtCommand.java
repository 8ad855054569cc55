package io.enipam.shell.repl;

import io.enipam.shell.core.Moment;
import io.enipam.shell.core.Prose;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.core.TimeFormat;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Goes to a moment of the past, and back. */
@Command(
        name = "at",
        description = "Show listings as they were at a moment, until 'at now'; nothing can be changed meanwhile.")
public final class AtCommand extends ShellCommand {
    @Parameters(
            arity = "0..1",
            paramLabel = "TIME",
            description = "So long ago, such as 10m or 3d, a time of the day, such as 05:57, or 2026-11-27T05:57:00Z;"
                    + " 'now', or nothing, for the present.")
    String time = "";

    @Override
    public void run() {
        session.past(Optional.empty());
        if (time.isEmpty() || time.equals("now")) {
            print(List.of("listings show the present"));
            return;
        }
        RenderContext present = session.renderContext();
        Instant then = Moment.parse(time, present.now(), present.zone());
        session.past(Optional.of(then));
        String shown = "listings show " + Moment.show(then, present.now(), present.zone()) + ", "
                + TimeFormat.span(Duration.between(then, present.now()))
                + " ago, and nothing can be changed: " + OF_THE_PAST + "; back: at now";
        print(Prose.fitted(List.of(shown), session.columns()));
    }
}
