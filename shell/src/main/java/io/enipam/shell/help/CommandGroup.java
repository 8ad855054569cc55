package io.enipam.shell.help;

import io.enipam.shell.core.ControlCommand;
import java.util.List;
import picocli.CommandLine;

/** What a command is for: how the overview is grouped. The order is that of a person who is called at night. */
enum CommandGroup {
    LOOK("Look", List.of()),
    UNDERSTAND("Find out why", List.of("explain", "trace", "doctor", "top", "events", "log", "support-bundle")),
    CHANGE("Change", List.of()),
    DATABASE("The database", List.of("db")),
    PLUGINS("Plugins", List.of("plugin")),
    RUNBOOKS("Runbooks", List.of("run", "runbook")),
    CLOUD("The emulated cloud of a sandbox", List.of("cloud")),
    SHELL("This shell", List.of("help", "history", "exit", "watch"));

    private final String heading;
    private final List<String> firstWords;

    CommandGroup(String heading, List<String> firstWords) {
        this.heading = heading;
        this.firstWords = firstWords;
    }

    String heading() {
        return heading;
    }

    /** That of a command that has none below it: by its first word where that says it, else by whether it changes anything. */
    static CommandGroup of(String name, CommandLine command) {
        String first = name.split(" ", 2)[0];
        for (CommandGroup purpose : values()) {
            if (purpose.firstWords.contains(first)) {
                return purpose;
            }
        }
        return command.getCommand() instanceof ControlCommand ? CHANGE : LOOK;
    }
}
