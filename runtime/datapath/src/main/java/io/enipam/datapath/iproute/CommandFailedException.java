package io.enipam.datapath.iproute;

/** A command of a batch failed, or the program that should have run it. */
public final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String command;
    private final String answer;

    CommandFailedException(String message, String command, String answer) {
        super(message);
        this.command = command;
        this.answer = answer;
    }

    /** The command that failed first; empty text if it is not known. */
    public String command() {
        return command;
    }

    /** What the kernel or the program said. */
    public String answer() {
        return answer;
    }
}
