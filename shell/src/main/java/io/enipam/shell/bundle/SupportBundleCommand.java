package io.enipam.shell.bundle;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.bundle.BundleCollector.BundleRedactor;
import io.enipam.shell.bundle.BundlePart.CollectedPart;
import io.enipam.shell.bundle.BundlePart.CollectedPart.Outcome;
import io.enipam.shell.core.AtomicOutputFile;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ForceOption;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Tone;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "support-bundle",
        description = "All that somebody needs who helps from afar, in one file without secrets.")
public final class SupportBundleCommand extends DaemonCommand {
    private static final String ERASE = "\r\u001b[K";

    @Completes(CompletionKind.FILES)
    @Parameters(paramLabel = "FILE", description = "The archive that is made.")
    Path file = Path.of("");

    @Mixin
    ForceOption force = new ForceOption();

    @Option(
            names = "--timeout",
            paramLabel = "SPAN",
            defaultValue = "15s",
            description = "How long one part may take. By default 15s.")
    Duration timeout = Duration.ofSeconds(15);

    @Override
    public List<String> inBundle() {
        return List.of();
    }

    @Override
    public boolean writesLocalFile() {
        return true;
    }

    @Override
    public void run() {
        if (format() == OutputFormat.NAME) {
            throw noNames();
        }
        long begun = System.nanoTime();
        BundleRedactor masks = BundleRedactor.of(System.getenv());
        AtomicOutputFile saved = force.begin(file);
        try (saved) {
            DaemonBundleParts daemonParts = new DaemonBundleParts(session);
            List<BundlePart> parts = new ArrayList<>(daemonParts.parts());
            if (!session.remote()) { // this machine is not the daemon's
                parts.addAll(HostBundleParts.of(System.getenv()));
            }
            List<CollectedPart> collected = new BundleCollector(masks, limits())
                    .collect(parts, (before, part) -> progress(before, parts.size(), part));
            erase("");
            Instant made = session.clock().instant();
            String node = daemonParts.node();
            String report = masks.redact(BundleReport.of(node, made, daemonParts.data(), collected));
            Bundle bundle = new Bundle(node, Session.version(), made, collected, report);
            saved.write(bundle.archive());
            long bytes = saved.finish();
            if (format().structured()) {
                out().print(bundle.manifest());
                out().flush();
            } else {
                Duration took = Duration.ofNanos(System.nanoTime() - begun);
                print(summary(collected, bytes, took, session.renderContext()));
            }
            if (!daemonParts.answered()) {
                throw new ShellException(
                        ExitStatus.NOT_ATTACHED,
                        "NOT_ATTACHED",
                        "the daemon did not answer; " + file + " is there, with what the machine tells",
                        "Send it all the same, and see whether enipamd runs");
            }
        } catch (IOException e) {
            throw saved.failed(e);
        } finally {
            erase("");
        }
    }

    private BundleCollector.Limits limits() {
        BundleCollector.Limits usual = BundleCollector.Limits.USUAL;
        return new BundleCollector.Limits(timeout, usual.allTime(), usual.eachBytes(), usual.allBytes());
    }

    private void progress(int before, int of, BundlePart part) {
        erase("[" + (before + 1) + "/" + of + "] " + Palette.clean(part.what()));
    }

    private void erase(String by) {
        if (session.screen().errIsTerminal()) {
            session.screen().err().print(ERASE + by);
            session.screen().err().flush();
        }
    }

    /** How it went, and what is missing. */
    private List<String> summary(List<CollectedPart> parts, long bytes, Duration took, RenderContext look) {
        List<Outcome> outcomes = parts.stream().map(CollectedPart::outcome).toList();
        int fine = Collections.frequency(outcomes, Outcome.OK);
        int absent = Collections.frequency(outcomes, Outcome.ABSENT);
        int failed = parts.size() - fine - absent;
        String counts = "%d parts: %d fine, %d not there, %d failed; ".formatted(parts.size(), fine, absent, failed);
        String size =
                String.format(Locale.ROOT, "%.1f KiB in %s, in %.1f s", bytes / 1024.0, file, took.toMillis() / 1e3);
        List<String> lines = new ArrayList<>(List.of(Palette.clean(counts + size)));
        for (CollectedPart part : parts) {
            if (part.outcome() != Outcome.OK && part.outcome() != Outcome.ABSENT) {
                String what = part.part().what() + ": " + part.why().replaceAll("\\R", " ");
                lines.add(look.paint(Tone.BAD, part.outcomeText()) + ": " + Palette.clean(what));
            } else if (part.cut()) {
                lines.add(look.paint(Tone.WAIT, "cut") + ": "
                        + Palette.clean(part.part().what()));
            }
        }
        if (look.advice()) {
            lines.add("open report.html in it first: tar -xzf " + Palette.clean(file.toString()));
        }
        return lines;
    }
}
