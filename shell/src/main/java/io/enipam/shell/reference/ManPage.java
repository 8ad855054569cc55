package io.enipam.shell.reference;

import io.enipam.shell.core.Grammar;
import io.enipam.shell.help.HelpTopics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** A manual page in roff's man macros, which every man understands. */
final class ManPage {
    private final StringBuilder page = new StringBuilder();

    private ManPage(String name) {
        page.append(".\\\" made from the grammar of the shell\n.TH ")
                .append(quoted(name.toUpperCase(java.util.Locale.ROOT)))
                .append(" 1 \"\" \"enipam\" \"User Commands\"\n.nh\n.ad l\n");
    }

    /** enipam(1). */
    static String ofProgram(CommandLine program, CommandLine grammar) {
        UsageMessageSpec usage = program.getCommandSpec().usageMessage();
        ManPage man = new ManPage("enipam");
        man.section("NAME").text("enipam - look into the ENI IPAM of a node, and change it");
        man.section("SYNOPSIS").literal(List.of(usage.customSynopsis()));
        man.section("DESCRIPTION").paragraphs(usage.description());
        man.options(program);
        man.section("COMMANDS");
        for (Map.Entry<String, CommandLine> command : Grammar.leaves(grammar).entrySet()) {
            String[] description =
                    command.getValue().getCommandSpec().usageMessage().description();
            man.item(command.getKey(), List.of(first(description)));
        }
        man.text("Each has a page of its own, as enipam-pool-show(1). In the shell: help pool show");
        man.section("NOTES").paragraphs(usage.footer());
        man.section("SEE ALSO")
                .text("enipamd(8), enipam-cloud(8); in the shell: help "
                        + String.join(", help ", HelpTopics.names().keySet()));
        return man.page.toString();
    }

    /** The page of one command, such as {@code enipam-pool-show} for {@code pool show}. */
    static String ofCommand(String page, String name, CommandLine command) {
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        ManPage man = new ManPage(page);
        man.section("NAME").text(page + " - " + first(usage.description()));
        man.section("SYNOPSIS")
                .literal(command.getHelp()
                        .synopsis(0)
                        .lines()
                        .map(String::stripTrailing)
                        .toList());
        man.section("DESCRIPTION").paragraphs(usage.description());
        man.options(command);
        if (!usage.exitCodeList().isEmpty()) {
            man.section("EXIT STATUS");
            usage.exitCodeList().forEach((status, meaning) -> man.item(status, List.of(meaning)));
        }
        List<String> example = new ArrayList<>();
        String see = "";
        for (String line : usage.footer()) {
            if (line.startsWith("See also: ")) {
                see = line.substring("See also: ".length());
            } else {
                example.add(Ansi.OFF.string(line.replace("%%", "%").replace("$${", "${")));
            }
        }
        man.section("EXAMPLE").literal(example);
        man.section("SEE ALSO").text(String.join(", ", pages(see)));
        return man.page.toString();
    }

    /** Commands have pages, topics of the shell's help have none. */
    private static List<String> pages(String see) {
        List<String> pages = new ArrayList<>(List.of("enipam(1)"));
        for (String related : see.isEmpty() ? new String[0] : see.split(", ")) {
            pages.add(
                    related.startsWith("help ")
                            ? "in the shell: " + related
                            : "enipam-" + related.replace(' ', '-') + "(1)");
        }
        return pages;
    }

    private void options(CommandLine command) {
        section("OPTIONS");
        for (PositionalParamSpec positional : command.getCommandSpec().positionalParameters()) {
            if (!positional.hidden()) {
                item(positional.paramLabel(), described(positional));
            }
        }
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
                item(String.join(", ", option.names()) + value, described(option));
            }
        }
    }

    /** With what variables in it stand for. */
    private static List<String> described(ArgSpec argument) {
        List<String> candidates = new ArrayList<>();
        if (argument.completionCandidates() != null) {
            argument.completionCandidates().forEach(candidates::add);
        }
        List<String> lines = new ArrayList<>();
        for (String line : argument.description()) {
            lines.add(Ansi.OFF.string(line.replace("${COMPLETION-CANDIDATES}", String.join(", ", candidates))
                    .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValueString()))
                    .replace("$${", "${")
                    .replace("%%", "%")));
        }
        return lines;
    }

    private ManPage section(String title) {
        page.append(".SH ").append(quoted(title)).append('\n');
        return this;
    }

    private ManPage text(String text) {
        page.append(escaped(text)).append('\n');
        return this;
    }

    /** Lines that are one text; a blank one is between paragraphs, an indented one stays as it is. */
    private void paragraphs(String[] lines) {
        for (String line : lines) {
            String plain = Ansi.OFF.string(line.replace("%%", "%").replace("$${", "${"));
            if (plain.isBlank()) {
                page.append(".PP\n");
            } else if (plain.startsWith(" ")) {
                literal(List.of(plain));
            } else {
                text(plain);
            }
        }
    }

    private void item(String name, List<String> description) {
        page.append(".TP\n.B ").append(escaped(name)).append('\n');
        (description.isEmpty() ? List.of("") : description).forEach(this::text);
    }

    private void literal(List<String> lines) {
        page.append(".nf\n");
        lines.forEach(this::text);
        page.append(".fi\n");
    }

    private static String first(String[] description) {
        return description.length == 0 ? "" : Ansi.OFF.string(description[0]);
    }

    private static String quoted(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }

    /** A backslash begins a request inside a line, a point or a quote one at its start, and a bare hyphen is no minus. */
    private static String escaped(String text) {
        String escaped = text.replace("\\", "\\e").replace("-", "\\-");
        return escaped.isEmpty()
                ? "\\&"
                : escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
