package io.enipam.shell.core;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Follows a stream of the daemon over its restarts. What it has to say itself goes to standard error: standard output has what is followed
 * alone. For one thread.
 */
public final class StreamFollower<R> {
    /** How long one call follows; the next one goes on behind what was seen. */
    private static final Duration FOLLOW = Duration.ofHours(1);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Session session;
    private final String what;
    private final boolean endless;
    private final Function<InspectBlockingStub, Iterator<R>> begin;
    private final Predicate<R> take;
    private boolean attached;
    private boolean away;
    private Duration pause = FIRST_PAUSE;

    /**
     * @param what is followed, before what this says itself
     * @param endless whether a stream that ends was cut off
     * @param begin follows, from behind what was taken last
     * @param take prints some; false ends it, since the output is closed
     */
    public StreamFollower(
            Session session,
            String what,
            boolean endless,
            Function<InspectBlockingStub, Iterator<R>> begin,
            Predicate<R> take) {
        this.session = session;
        this.what = what;
        this.endless = endless;
        this.begin = begin;
        this.take = take;
    }

    /** Follows until it is interrupted, or it or the output ends; throws what the daemon refuses when it begins. */
    public void follow() {
        while (stream()) {
            if (away && !Interrupts.pause(pause)) {
                throw ShellException.interrupted();
            }
            pause = Collections.min(List.of(pause.multipliedBy(2), LONGEST_PAUSE));
        }
    }

    /** Follows one call to its end; false if there is nothing more to follow. */
    private boolean stream() {
        try {
            Iterator<R> parts = session.daemon().stream(FOLLOW, begin);
            while (parts.hasNext()) {
                here();
                if (!take.test(parts.next())) {
                    return false;
                }
            }
            attached = true;
            if (!endless) {
                return false;
            }
            gone();
        } catch (ShellException e) {
            if (attached && (e.exit() == ExitStatus.NOT_ATTACHED || e.code().equals("TRY_AGAIN"))) {
                gone();
            } else if (!e.code().equals("DEADLINE_EXCEEDED")) {
                throw e;
            }
        }
        return true;
    }

    private void here() {
        attached = true;
        if (away) {
            away = false;
            say("the daemon is back");
        }
        pause = FIRST_PAUSE;
    }

    private void gone() {
        if (!away) {
            away = true;
            say("the daemon went away; it is waited for, Ctrl-C ends");
        }
    }

    /** A line on standard error. */
    public void say(String line) {
        session.screen().err().println(session.screen().errPalette().paint(Tone.LABEL, what + ": " + line));
        session.screen().err().flush();
    }
}
