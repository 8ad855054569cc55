package io.enipam.cni;

import io.enipam.cni.FrameCodec.CniResponse;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The front in Java, for nodes for which no C compiler was there: {@code src/main/c/enipam-cni.c} says what it does, and both say the
 * same in each case.
 */
public final class CniMain {
    private static final int MOST_VARIABLES = 1 << 20;

    /** What is left to say is said within this time, also when the deadline is over. */
    private static final long PRINT_MILLIS = 5_000;

    private final PluginInvocation caller;
    private final long deadline;
    private String cniVersion = CniVersions.LATEST;

    private CniMain(PluginInvocation caller) {
        this.caller = caller;
        this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(caller.timeoutMillis());
    }

    /** Takes no arguments: a runtime speaks by environment and standard input. */
    public static void main(String[] args) throws IOException, InterruptedException, CallFailedException {
        PluginInvocation caller = PluginInvocation.ofThisProcess();
        if (caller.command().isEmpty()) {
            err("enipam-cni " + System.getProperty("enipam.version", "(unversioned)")
                    + ": passes CNI calls to enipamd\nCNI protocol versions supported: "
                    + String.join(" ", CniVersions.SUPPORTED) + "\n");
            return;
        }
        CniMain front = new CniMain(caller);
        CniResponse answer = front.answer();
        int status = answer.exit();
        try {
            TimeLimiter.call(Math.max(PRINT_MILLIS, front.left()), () -> print(answer));
        } catch (IOException | TimeoutException e) {
            err("enipam-cni: the answer could not be written to standard output\n");
            status = status == 0 ? 1 : status;
        }
        Runtime.getRuntime().halt(status);
    }

    private static Integer print(CniResponse answer) throws IOException {
        err(answer.stderr());
        new FileOutputStream(FileDescriptor.out).write(answer.stdout());
        return answer.exit();
    }

    private static void err(String text) {
        err(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void err(byte[] text) {
        try {
            new FileOutputStream(FileDescriptor.err).write(text);
        } catch (IOException e) {
            // no caller reads it, and the result is on standard output
            return;
        }
    }

    private CniResponse answer() throws InterruptedException {
        try {
            return passed();
        } catch (CallFailedException e) {
            return caller.asksVersion() && e.code() == CallFailedException.UNANSWERED
                    ? CniVersions.answer(cniVersion)
                    : e.answer(cniVersion);
        }
    }

    private CniResponse passed() throws CallFailedException, InterruptedException {
        int variables = caller.variables().length;
        if (variables > MOST_VARIABLES - 5) {
            throw new CallFailedException(
                    4,
                    "the variables that begin with CNI_ are " + variables + " bytes",
                    (MOST_VARIABLES - 5) + " are taken");
        }
        byte[] stdin = StdinReader.read(caller, new FileInputStream(FileDescriptor.in), left());
        cniVersion = CniVersions.in(stdin);
        Path socket = caller.socket();
        try {
            return TimeLimiter.call(left(), () -> DaemonClient.exchange(socket, caller.variables(), stdin));
        } catch (IOException | TimeoutException e) {
            throw new CallFailedException(
                    CallFailedException.UNANSWERED,
                    "enipamd did not answer at " + socket + " within " + caller.timeoutMillis() + " ms",
                    "the call may be repeated");
        }
    }

    private long left() {
        return TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }
}
