package io.enipam.shell.attach;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A failure that the shell reports in one line, {@code WHAT failed: WHY (CODE). HINT}, and by its exit status. The
 * caller knows WHAT.
 */
public final class ShellException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitStatus exit;
    private final String code;
    private final String tag;
    private final String hint;
    private final FailureOrigin origin;

    /**
     * @param exit what the program returns
     * @param code a name a program can switch on; empty if there is none
     * @param why the cause, without a full stop
     * @param hint what to do about it; empty if there is nothing to say
     */
    public ShellException(ExitStatus exit, String code, String why, String hint) {
        this(exit, code, "", why, hint, originOf(exit), null);
    }

    /** The same with what it comes from. */
    public ShellException(ExitStatus exit, String code, String why, String hint, Throwable cause) {
        this(exit, code, "", why, hint, originOf(exit), cause);
    }

    private ShellException(
            ExitStatus exit,
            String code,
            String tag,
            String why,
            String hint,
            FailureOrigin origin,
            @Nullable Throwable cause) {
        super(why, cause);
        this.exit = exit;
        this.code = code;
        this.tag = tag;
        this.hint = hint;
        this.origin = origin;
    }

    /** The command line is wrong. */
    public static ShellException usage(String why, String hint) {
        return new ShellException(ExitStatus.USAGE, "", why, hint);
    }

    /** Ctrl-C. */
    public static ShellException interrupted() {
        return new ShellException(ExitStatus.INTERRUPTED, "", "interrupted", "");
    }

    /** There is no daemon to attach to. */
    public static ShellException unattached(String why, String hint, @Nullable Throwable cause) {
        return new ShellException(ExitStatus.NOT_ATTACHED, "", "", why, hint, FailureOrigin.HERE, cause);
    }

    private static FailureOrigin originOf(ExitStatus exit) {
        return exit == ExitStatus.REFUSED ? FailureOrigin.DAEMON : FailureOrigin.HERE;
    }

    /**
     * A whole answer that amounts to a no: a check that found something. The answer was printed before, and is
     * complete.
     */
    public static ShellException verdict(String code, String why, String hint) {
        return new ShellException(ExitStatus.REFUSED, code, "", why, hint, FailureOrigin.VERDICT, null);
    }

    /**
     * A failure of the shell's own side, in a file or a filter; the daemon refused nothing, although the exit status is
     * the same.
     */
    public static ShellException here(String why, String hint) {
        return here("LOCAL", why, hint);
    }

    /** The same with a {@link #tag} for programs. */
    public static ShellException here(String tag, String why, String hint) {
        return new ShellException(ExitStatus.REFUSED, "", tag, why, hint, FailureOrigin.HERE, null);
    }

    /** The same with what it comes from. */
    public static ShellException here(String tag, String why, String hint, Throwable cause) {
        return new ShellException(ExitStatus.REFUSED, "", tag, why, hint, FailureOrigin.HERE, cause);
    }

    /** Something has to be confirmed, and there is no operator to ask. */
    public static ShellException unconfirmed(String why, String hint) {
        return new ShellException(ExitStatus.USAGE, "", "UNCONFIRMED", why, hint, FailureOrigin.HERE, null);
    }

    /** An error that the shell does not expect. */
    public static ShellException bug(Throwable cause) {
        return new ShellException(
                ExitStatus.REFUSED,
                "INTERNAL",
                "",
                "this is a bug of the shell: " + cause,
                "Please report it",
                FailureOrigin.HERE,
                cause);
    }

    /** The daemon did not answer in time. */
    static ShellException noReply(String code, String why, String hint, Throwable cause) {
        return new ShellException(ExitStatus.REFUSED, code, "", why, hint, FailureOrigin.SILENCE, cause);
    }

    /**
     * The same failure of a stream that had begun, which says where it was cut ({@code "behind event 12"}), if the
     * daemon went away.
     */
    public ShellException cut(String where) {
        return exit == ExitStatus.NOT_ATTACHED
                ? new ShellException(exit, code, getMessage() + "; the stream was cut " + where, hint, this)
                : this;
    }

    public ExitStatus exit() {
        return exit;
    }

    /** Whose no it is; {@link FailureOrigin#HERE} if it is none, as a usage error. */
    public FailureOrigin origin() {
        return origin;
    }

    /** Whether the answer before it was whole: see {@link #verdict(String, String, String)}. */
    public boolean isVerdict() {
        return origin == FailureOrigin.VERDICT;
    }

    public String code() {
        return code;
    }

    /**
     * The name that a program switches on; never empty. It is the code, or where an operator needs none, a name for
     * programs alone.
     */
    public String tag() {
        if (!code.isEmpty() || !tag.isEmpty()) {
            return code.isEmpty() ? tag : code;
        }
        return switch (exit) {
            case DONE, REFUSED -> origin == FailureOrigin.VERDICT ? "FINDINGS" : "REFUSED";
            case USAGE -> "USAGE";
            case NOT_ATTACHED -> "NOT_ATTACHED";
            case UNEXPECTED -> "EXPECTATION_FAILED";
            case INTERRUPTED -> "INTERRUPTED";
        };
    }

    public String hint() {
        return hint;
    }

    /** The line for an operator: {@code WHAT failed: WHY (CODE). HINT}. */
    public String line(String what) {
        return what + " failed: " + sentence();
    }

    /** The line where nothing was tried yet, and so nothing failed: {@code WHY (CODE). HINT}. */
    public String sentence() {
        String why = withoutFullStop(String.valueOf(getMessage()));
        String named = code.isEmpty() ? why : why + " (" + code + ")";
        String stop = named.endsWith("?") ? " " : ". ";
        return named + (hint.isEmpty() ? "" : stop + sentenceCase(withoutFullStop(hint)));
    }

    private static String sentenceCase(String text) {
        return text.isEmpty() ? text : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    private static String withoutFullStop(String sentence) {
        String text = sentence.strip();
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }

    /** Whose no a failure is. Several have the exit status 1, and not all of them are an answer. */
    public enum FailureOrigin {
        /** The daemon's: it was asked, and refused. */
        DAEMON,
        /** What a whole answer amounts to: a check that found something. */
        VERDICT,
        /** The daemon did not answer in time, and what it did is not known. */
        SILENCE,
        /** The shell's own: a file, a filter or a mistake in the line. */
        HERE;

        /** Whether it is an answer to what was asked. */
        public boolean isAnswer() {
            return this == DAEMON || this == VERDICT;
        }
    }
}
