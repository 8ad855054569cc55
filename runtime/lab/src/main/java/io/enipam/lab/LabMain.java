package io.enipam.lab;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.config.ConfigException;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code enipam-lab}: makes traces, and replays them with policies. It prints JSON lines, each flushed as soon as it is known: {@code
 * {"progress":{...}}} and {@code {"result":{...}}}; the shell's {@code lab} commands show them as tables. Exit status 0, or 2 for what
 * is wrong with the words or files, which stands on stderr in one line; {@code fuzz} and {@code replay} end with 3 if an invariant of the
 * engine is broken.
 */
@Command(
        name = "enipam-lab",
        description = "Replays pods against policies in virtual time.",
        subcommands = {
            TraceCommands.Generate.class,
            TraceCommands.Import.class,
            ReplayCommands.Run.class,
            ReplayCommands.Sweeping.class,
            FuzzCommands.Fuzz.class,
            FuzzCommands.Replay.class
        })
public final class LabMain {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Say this.")
    boolean help;

    private LabMain() {}

    public static void main(String[] words) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.exit(run(out, words));
    }

    /** Runs the program; returns its exit status. */
    static int run(PrintStream out, String... words) {
        // simulated daemons warn of simulated failures
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger("io.enipam").setLevel(Level.OFF);
        }
        CommandLine line = new CommandLine(new LabMain());
        line.getSubcommands().values().forEach(command -> ((LabCommand) command.getCommand()).out = out);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof TraceException
                    || failure instanceof IllegalArgumentException
                    || failure instanceof ConfigException) {
                String why = String.valueOf(failure.getMessage()).strip().replaceAll("\\s*\\n\\s*", "; ");
                command.getErr().println("enipam-lab: " + why);
                return CommandLine.ExitCode.USAGE;
            }
            throw failure;
        });
        int status = line.execute(words);
        out.flush();
        return status;
    }

    /** A command that prints. */
    abstract static class LabCommand implements Callable<Integer> {
        static final JsonMapper JSON = new JsonMapper();

        PrintStream out = System.out;

        /**
         * @param part 0 to 1
         * @param leftNanos how long the rest will take
         */
        final void progress(String what, double part, double leftNanos) {
            print("progress", how(what, part, leftNanos));
        }

        static ObjectNode how(String what, double part, double leftNanos) {
            ObjectNode fields = JSON.createObjectNode();
            fields.put("policy", what);
            fields.put("part", decimal(part, 3));
            fields.put("etaSeconds", Math.round(leftNanos / 1e9));
            return fields;
        }

        final void print(String kind, ObjectNode fields) {
            try {
                out.println(JSON.writeValueAsString(JSON.createObjectNode().set(kind, fields)));
                out.flush();
            } catch (JsonProcessingException impossible) {
                throw new IllegalStateException("a JSON tree that cannot be written", impossible);
            }
        }

        static BigDecimal decimal(double value, int digits) {
            return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_UP);
        }
    }
}
