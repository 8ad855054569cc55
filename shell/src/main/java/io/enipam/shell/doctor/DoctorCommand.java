package io.enipam.shell.doctor;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ClosestMatch;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ListOptions.ListRequest;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.DoctorCheck;
import io.enipam.v1.DoctorEvidence;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.ListDoctorChecksReply;
import io.enipam.v1.ListDoctorChecksRequest;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

@Command(name = "doctor", description = "What is wrong with this node, how it was seen, why it matters and what to do.")
public final class DoctorCommand extends ControlCommand {
    /** A check has 12 s, and runs follow one another. */
    public static final Duration RUN = Duration.ofSeconds(60);
    /** Two runs of a check, and an operation in between. */
    private static final Duration REPAIR = Duration.ofMinutes(3);

    /** How bad a finding is, from nothing to look at upwards. The names are those on the wire. */
    public enum Level {
        OK,
        SKIPPED,
        INFO,
        WARN,
        CRITICAL,
        NONE;

        static final class Reader implements ITypeConverter<Level> {
            @Override
            public Level convert(String value) {
                String all = Stream.of(values()).map(Level::name).collect(Collectors.joining(", "));
                return Stream.of(values())
                        .filter(level -> level.name().equalsIgnoreCase(value))
                        .findFirst()
                        .orElseThrow(() -> new TypeConversionException("'" + value + "' is not one of " + all));
            }
        }

        public static Level of(DoctorFinding finding) {
            return Stream.of(values())
                    .filter(level -> level.name().equals(finding.getSeverity()))
                    .findFirst()
                    .orElse(WARN); // a severity that only a newer daemon knows
        }
    }

    @Completes(CompletionKind.DOCTOR_CHECKS)
    @Parameters(paramLabel = "ID", arity = "0..*", description = "Only these checks; see: doctor --list")
    List<String> ids = List.of();

    @Option(
            names = {"--severity", "--level"},
            paramLabel = "LEVEL",
            converter = Level.Reader.class,
            defaultValue = "INFO",
            description = "Show what is this bad or worse: ${COMPLETION-CANDIDATES}. By default INFO.")
    Level severity = Level.INFO;

    @Option(
            names = "--fail-on",
            paramLabel = "LEVEL",
            converter = Level.Reader.class,
            defaultValue = "WARN",
            description = "Exit with 1 if something is this bad or worse; NONE: never. By default WARN.")
    Level failOn = Level.WARN;

    @Option(names = "--list", description = "Say which checks there are.")
    boolean list;

    @Completes(CompletionKind.DOCTOR_CHECKS)
    @Option(
            names = "--explain",
            paramLabel = "ID",
            defaultValue = "",
            description = "Say what a check looks at, why it matters, and what its repair does.")
    String explain = "";

    @Completes(CompletionKind.DOCTOR_REPAIRS)
    @Option(
            names = "--repair",
            paramLabel = "ID",
            defaultValue = "",
            description = "Mend what this check finds, if it finds something, and make it again.")
    String repair = "";

    @Option(names = "--dry-run", description = "With --repair: only say what would be done.")
    boolean dryRun;

    @Mixin
    ConfirmationOption consent = new ConfirmationOption();

    @Mixin
    ListOptions view = new ListOptions();

    @Override
    public List<String> inBundle() {
        return List.of("doctor --fail-on none");
    }

    @Override
    public boolean changes() {
        return !repair.isEmpty() && !dryRun;
    }

    @Override
    public boolean needsControl() {
        return !repair.isEmpty();
    }

    @Override
    public Optional<ListRequest> lists() {
        return Optional.of(new ListRequest(view, DoctorCommand.CHECKS));
    }

    @Override
    public boolean needsConfirmation() {
        return changes() && !consent.yes;
    }

    @Override
    public void prepare() {
        long asked = Stream.of(list, !explain.isEmpty(), !repair.isEmpty(), !ids.isEmpty())
                .filter(one -> one)
                .count();
        if (asked > 1) {
            throw ShellException.usage(
                    "--list, --explain, --repair and ids of checks exclude each other", "Give one of them");
        }
        if (repair.isEmpty() && (dryRun || consent.yes)) {
            throw ShellException.usage("--dry-run and --yes are about --repair, and there is none", "See: help doctor");
        }
        if (!list) {
            view.refuse(this, "doctor without --list", "Add --list, or leave it out");
        }
        view.check(DoctorCommand.CHECKS);
    }

    @Override
    public void run() {
        if (list) {
            Supplier<ListReply<DoctorCheck>> checks = () -> {
                ListDoctorChecksReply reply = checks();
                return ListReply.of(reply, reply.getChecksList());
            };
            new ListPrinter<>(this, view, new Listed<>(DoctorCommand.CHECKS, checks)).run();
        } else if (!explain.isEmpty()) {
            show(explained(), DoctorCommand::check, check -> List.of(check.getId()));
        } else if (!repair.isEmpty()) {
            mend();
        } else {
            examine();
        }
    }

    private void examine() {
        String version = Session.version();
        RunDoctorRequest.Builder request = RunDoctorRequest.newBuilder().addAllChecks(ids);
        request.setClientVersion(version.equals("unpackaged") ? "" : version);
        RunDoctorReply found = waiting(() -> session.daemon().inspect(RUN, stub -> stub.runDoctor(request.build())));
        List<DoctorFinding> all = found.getFindingsList();
        List<DoctorFinding> shown = all.stream().filter(this::isShown).toList();
        show(
                found.toBuilder().clearFindings().addAllFindings(shown).build(),
                (reply, look) -> DoctorCommand.diagnosis(reply, all, look),
                reply -> shown.stream().map(DoctorFinding::getCheck).toList());
        offerRepairs(shown);
        long bad = all.stream()
                .filter(finding -> Level.of(finding).compareTo(failOn) >= 0)
                .count();
        if (bad == 0 && failOn != Level.NONE && blind(found)) {
            String why = all.size() == 1 ? "the check could not be made" : "none of these checks could be made";
            throw ShellException.verdict("", why, "The reason stands behind its name");
        }
        if (bad > 0) {
            String worst = failOn + (failOn == Level.CRITICAL ? "" : " or worse");
            String why = bad + (bad == 1 ? " check is " : " checks are ") + worst;
            throw ShellException.verdict("", why, "More on one of them: doctor --explain ID");
        }
    }

    /** At the prompt each repair that has something to do is offered at once, with what it would do. */
    private void offerRepairs(List<DoctorFinding> shown) {
        Optional<Predicate<String>> person = session.terminal().flatMap(atPrompt -> session.asker());
        if (person.isEmpty() || session.readOnly() || format() != OutputFormat.TABLE) {
            return;
        }
        for (DoctorFinding finding : shown) {
            if (finding.getRepairable()) {
                offerRepair(finding.getCheck(), person.get());
            }
        }
    }

    private void offerRepair(String check, Predicate<String> person) {
        RepairFindingReply would = repaired(check, true);
        if (would.getStepsCount() > 0 && person.test(Palette.clean(DoctorCommand.offer(would)))) {
            show(repaired(check, false), DoctorCommand::repair, done -> List.of(done.getCheck()));
        }
    }

    /** A check that was named is shown, too, with the reason why it was not made. */
    private boolean isShown(DoctorFinding finding) {
        Level level = Level.of(finding);
        return level.compareTo(severity) >= 0 || (!ids.isEmpty() && level == Level.SKIPPED);
    }

    /** Whether none of the checks that were asked for by name was made: nothing is known, and that is not health. */
    private boolean blind(RunDoctorReply found) {
        return !ids.isEmpty()
                && found.getFindingsList().stream().allMatch(finding -> Level.of(finding) == Level.SKIPPED);
    }

    private ListDoctorChecksReply checks() {
        return inspect(stub -> stub.listDoctorChecks(ListDoctorChecksRequest.getDefaultInstance()));
    }

    private DoctorCheck explained() {
        List<DoctorCheck> all = checks().getChecksList();
        List<String> ids = all.stream().map(DoctorCheck::getId).toList();
        String near = ClosestMatch.to(explain, ids)
                .map(other -> "; did you mean " + other + "?")
                .orElse("");
        String why = "there is no check '" + explain + "'" + near;
        return all.stream()
                .filter(check -> check.getId().equals(explain))
                .findFirst()
                .orElseThrow(() -> new ShellException(
                        ExitStatus.REFUSED, "NOT_FOUND", why, "'doctor --list' shows the checks there are"));
    }

    private void mend() {
        if (dryRun || consent.yes) {
            show(repaired(repair, dryRun));
            return;
        }
        RepairFindingReply would = repaired(repair, true);
        if (would.getStepsCount() == 0) {
            show(would);
        } else if (consent.given(session, () -> DoctorCommand.question(would))) {
            show(repaired(repair, false));
        }
    }

    private void show(RepairFindingReply reply) {
        show(reply, DoctorCommand::repair, repaired -> List.of(repaired.getCheck()));
        DoctorFinding last = reply.hasAfter() ? reply.getAfter() : reply.getBefore();
        String hint = "See: doctor " + repair;
        if (!reply.getDryRun() && reply.hasAfter() && Level.of(last).compareTo(failOn) >= 0) {
            throw ShellException.verdict("", repair + " is still " + last.getSeverity(), hint);
        } else if (reply.getStepsCount() == 0 && Level.of(last) != Level.OK) {
            throw ShellException.verdict("", "nothing was repaired, because " + repair + " could not look", hint);
        }
    }

    private RepairFindingReply repaired(String check, boolean dry) {
        RepairFindingRequest.Builder request = RepairFindingRequest.newBuilder().setName(check);
        return control(REPAIR, stub -> stub.repairFinding(request.setDryRun(dry).build()));
    }

    private static final int WIDEST_SEEN = 90;
    private static final String SKIPPED = "SKIPPED";
    private static final String INDENT = "    ";

    /** All checks there are; the name of one is its id. */
    public static final TableListing<DoctorCheck> CHECKS = TableListing.<DoctorCheck>of("checks", DoctorCheck::getId)
            .none("this daemon has no checks", "")
            .text("id", "ID", DoctorCheck::getId)
            .toned("worst", "WORST", DoctorCheck::getWorst, check -> tone(check.getWorst()))
            .text("repair", "REPAIR", check -> check.getRepair().isEmpty() ? "" : "yes")
            .text("finds", "FINDS", DoctorCheck::getTitle)
            .flowing()
            .build();

    /** The findings to be shown, the worst first, and how many checks were fine of {@code all} of the run. */
    public static List<String> diagnosis(RunDoctorReply reply, List<DoctorFinding> all, RenderContext look) {
        List<String> lines = new ArrayList<>();
        String severity = "";
        for (DoctorFinding finding : reply.getFindingsList()) {
            if (!finding.getSeverity().equals(severity)) {
                severity = finding.getSeverity();
                separate(lines);
                lines.add(look.paint(tone(severity), severity));
            }
            lines.addAll(finding(finding, look));
        }
        separate(lines);
        lines.add(summary(all, reply) + ", in " + TimeFormat.took(reply.getTook()));
        return lines;
    }

    private static void separate(List<String> lines) {
        if (!lines.isEmpty() && !lines.get(lines.size() - 1).isEmpty()) {
            lines.add("");
        }
    }

    private static String summary(List<DoctorFinding> all, RunDoctorReply shown) {
        long fine = all.stream().filter(f -> f.getSeverity().equals("OK")).count();
        long skipped = all.stream().filter(f -> f.getSeverity().equals(SKIPPED)).count();
        long found = all.size() - fine - skipped;
        // those that could not look at what there is to look at, unless they are shown
        long blind = all.stream()
                .filter(f -> f.getSeverity().equals(SKIPPED) && !f.getNotApplicable())
                .count();
        boolean seen =
                shown.getFindingsList().stream().anyMatch(f -> f.getSeverity().equals(SKIPPED));
        return (found == 0 ? "" : Table.counted(found, "finding") + ", ") + Table.counted(fine, "check") + " fine"
                + (skipped == 0 ? "" : ", " + skipped + " skipped")
                + (blind == 0 || seen ? "" : " (" + blind + " could not look; see: doctor --severity skipped)");
    }

    private static List<String> finding(DoctorFinding finding, RenderContext look) {
        List<String> lines = new ArrayList<>();
        lines.add("  " + look.paint(tone(finding.getSeverity()), finding.getCheck()) + "  "
                + look.paint(Tone.PLAIN, finding.getSummary()));
        if (finding.getEvidenceCount() > 0) {
            Table evidence = Table.details();
            for (DoctorEvidence one : finding.getEvidenceList()) {
                Table.Cell source = new Table.Cell(one.getSource(), Tone.LABEL);
                Table.Cell since =
                        new Table.Cell(one.hasSince() ? "since " + look.age(one.getSince()) : "", Tone.LABEL);
                evidence.row(one.getSubject(), Table.clipped(one.getSeen(), WIDEST_SEEN), source, since);
            }
            evidence.lines(look.indented(INDENT.length())).forEach(line -> lines.add((INDENT + line).stripTrailing()));
        }
        if (!finding.getFix().isEmpty() || !finding.getWhy().isEmpty()) {
            Table advice = Table.details()
                    .detailIfAny("why", finding.getWhy())
                    .detailIfAny("fix", finding.getFix())
                    .detailIf(finding.getRepairable(), "or", "doctor --repair " + finding.getCheck());
            advice.lines(look.indented(INDENT.length())).forEach(line -> lines.add(INDENT + line));
            lines.add("");
        }
        return lines;
    }

    public static List<String> check(DoctorCheck check, RenderContext look) {
        return Table.details()
                .detail("check", check.getId())
                .detail("finds", check.getTitle())
                .detail("worst", check.getWorst(), tone(check.getWorst()))
                .detail("looks at", check.getLooksAt())
                .detail("why", check.getWhy())
                .detail("fix", check.getFix())
                .detailIfAny("repair", check.getRepair())
                .lines(look);
    }

    public static List<String> repair(RepairFindingReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>();
        if (reply.getStepsCount() == 0) {
            boolean fine = reply.getBefore().getSeverity().equals("OK");
            String why = fine ? " finds nothing to repair: " : " could not look, and nothing was repaired: ";
            return List.of(
                    Palette.clean(reply.getCheck() + why + reply.getBefore().getSummary()));
        }
        lines.add(said("before", reply.getBefore(), look));
        reply.getStepsList().forEach(step -> lines.add("  " + look.paint(Tone.PLAIN, step)));
        if (reply.hasAfter()) {
            lines.add(said("after", reply.getAfter(), look));
        }
        return lines;
    }

    public static String question(RepairFindingReply would) {
        return would.getBefore().getSummary() + ": " + String.join("; ", would.getStepsList()) + ". Do it?";
    }

    private static String offer(RepairFindingReply would) {
        return would.getCheck() + ": " + String.join("; ", would.getStepsList()) + "; fix it?";
    }

    private static String said(String when, DoctorFinding finding, RenderContext look) {
        return look.paint(Tone.LABEL, when) + "  "
                + look.paint(tone(finding.getSeverity()), finding.getSeverity()) + "  "
                + look.paint(Tone.PLAIN, finding.getSummary());
    }

    /** How a severity is shown: those of findings and troubles. */
    public static Tone tone(String severity) {
        return switch (severity) {
            case "OK" -> Tone.GOOD;
            case "INFO" -> Tone.HEAD;
            case "WARN" -> Tone.WAIT;
            case "CRITICAL" -> Tone.BAD;
            default -> Tone.LABEL;
        };
    }
}
