package io.enipam.shell.attach;

import static io.enipam.shell.attach.ExitStatus.INTERRUPTED;
import static io.enipam.shell.attach.ExitStatus.NOT_ATTACHED;
import static io.enipam.shell.attach.ExitStatus.REFUSED;
import static io.enipam.shell.attach.ExitStatus.USAGE;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A failure, reported by an exit status and a line, {@code WHAT failed: WHY (CODE). HINT}; the caller knows WHAT. */
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

    /** What a read-only shell refuses. */
    public static ShellException readOnly(String why) {
        return new ShellException(
                ExitStatus.USAGE,
                "READ_ONLY",
                "this shell is read-only, and " + why,
                "Start it without --read-only and without ENIPAM_READ_ONLY to change something");
    }

    public static ShellException usage(String why, String hint) {
        return new ShellException(USAGE, "", why, hint);
    }

    public static ShellException interrupted() {
        return new ShellException(INTERRUPTED, "", "interrupted", "");
    }

    public static ShellException unattached(String why, String hint, @Nullable Throwable cause) {
        return new ShellException(NOT_ATTACHED, "", "", why, hint, FailureOrigin.HERE, cause);
    }

    private static FailureOrigin originOf(ExitStatus exit) {
        return exit == REFUSED ? FailureOrigin.DAEMON : FailureOrigin.HERE;
    }

    /** A whole answer, printed before, that amounts to a no: a check that found something. */
    public static ShellException verdict(String code, String why, String hint) {
        return new ShellException(REFUSED, code, "", why, hint, FailureOrigin.VERDICT, null);
    }

    /** A failure of the shell's own side, in a file or a filter; the exit status is that of a daemon that refuses. */
    public static ShellException here(String why, String hint) {
        return here("LOCAL", why, hint);
    }

    /** The same with a {@link #tag} for programs. */
    public static ShellException here(String tag, String why, String hint) {
        return new ShellException(REFUSED, "", tag, why, hint, FailureOrigin.HERE, null);
    }

    public static ShellException here(String tag, String why, String hint, Throwable cause) {
        return new ShellException(REFUSED, "", tag, why, hint, FailureOrigin.HERE, cause);
    }

    /** Something has to be confirmed, and there is no operator to ask. */
    public static ShellException unconfirmed(String why, String hint) {
        return new ShellException(USAGE, "", "UNCONFIRMED", why, hint, FailureOrigin.HERE, null);
    }

    /** The failure itself if the shell knows it, else an error that it does not expect. */
    public static ShellException of(Throwable cause) {
        if (cause instanceof ShellException known) {
            return known;
        }
        String why = "this is a bug of the shell: " + cause;
        return new ShellException(REFUSED, "INTERNAL", "", why, "Please report it", FailureOrigin.HERE, cause);
    }

    static ShellException noReply(String code, String why, String hint, Throwable cause) {
        return new ShellException(REFUSED, code, "", why, hint, FailureOrigin.SILENCE, cause);
    }

    /** The same failure, if the daemon went away, of a stream that was cut there: {@code "behind event 12"}. */
    public ShellException cut(String where) {
        return exit == NOT_ATTACHED
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

    public String code() {
        return code;
    }

    /** The name that a program switches on, never empty: the code, or where an operator needs none, another. */
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

    /** The line for an operator: {@code WHAT failed: WHY (CODE). HINT}; a check that found something has not failed. */
    public String line(String what) {
        return what + (origin == FailureOrigin.VERDICT && code.isEmpty() ? ": " : " failed: ") + sentence();
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

        public boolean isAnswer() {
            return this == DAEMON || this == VERDICT;
        }
    }
}
