package io.enipam.shell.attach;

import java.util.Locale;

/**
 * A failure the person at the shell is told in one line, and that a script reads from the exit code.
 *
 * <p>The line reads {@code WHAT failed: WHY (CODE). HINT}; this class has all of it but WHAT, which the one who called
 * knows.
 */
public final class ShellException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Exit exit;
    private final String code;
    private final String hint;
    private final boolean verdict;
    private final boolean here;

    /**
     * @param exit what the program returns
     * @param code a name a program can switch on; empty if there is none
     * @param why the cause, without a full stop
     * @param hint what to do about it; empty if there is nothing to say
     */
    public ShellException(Exit exit, String code, String why, String hint) {
        this(exit, code, why, hint, false, false);
    }

    private ShellException(Exit exit, String code, String why, String hint, boolean verdict, boolean here) {
        super(why);
        this.exit = exit;
        this.code = code;
        this.hint = hint;
        this.verdict = verdict;
        this.here = here;
    }

    /**
     * What a whole answer amounts to, if that is a no: a check that found something. The answer was printed before, nothing of it
     * is missing, and what reads it may rely on it.
     */
    public static ShellException verdict(String code, String why, String hint) {
        return new ShellException(Exit.REFUSED, code, why, hint, true, false);
    }

    /**
     * What went wrong on the shell's own side, in a file or a filter: no answer of the daemon, although the exit status is the
     * same.
     */
    public static ShellException here(String why, String hint) {
        return new ShellException(Exit.REFUSED, "", why, hint, false, true);
    }

    public ShellException(Exit exit, String code, String why, String hint, Throwable cause) {
        super(why, cause);
        this.exit = exit;
        this.code = code;
        this.hint = hint;
        this.verdict = false;
        this.here = false;
    }

    /**
     * The same failure of a stream that had begun: says where it was cut, so that nobody takes what came for all there is.
     * Other failures than that the daemon went away stay as they are.
     *
     * @param where as in {@code "behind event 12"}
     */
    public ShellException cut(String where) {
        return exit == Exit.NOT_ATTACHED
                ? new ShellException(exit, code, getMessage() + "; the stream was cut " + where, hint, this)
                : this;
    }

    public Exit exit() {
        return exit;
    }

    /** Whether the answer before it was whole: see {@link #verdict(String, String, String)}. */
    public boolean isVerdict() {
        return verdict;
    }

    /** Whether it went wrong on the shell's own side: see {@link #here(String, String)}. */
    public boolean isHere() {
        return here;
    }

    public String code() {
        return code;
    }

    public String hint() {
        return hint;
    }

    /** The line for a person: {@code WHAT failed: WHY (CODE). HINT}. */
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
}
