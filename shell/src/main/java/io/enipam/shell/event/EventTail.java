package io.enipam.shell.event;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Tone;
import io.enipam.v1.Event;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Follows the daemon's events over its restarts. What it has to say itself goes to standard error: standard output has
 * events alone.
 *
 * <p>The numbers of events begin anew with each run of the daemon, which a reply names: a run that is another one is
 * followed from its beginning, so that nothing of it is missed, and events of the former run after the last one read
 * are lost.
 */
final class EventTail {
    /** How long one call follows; the next one goes on after the last event seen. */
    private static final Duration FOLLOW = Duration.ofHours(1);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Session session;
    private final Predicate<List<Event>> print;
    private String run;
    private long last;
    private boolean attached;
    private boolean away;
    private Duration pause = FIRST_PAUSE;

    /**
     * @param print takes the events; false ends it
     * @param run the run of the daemon that {@code last}, the last event seen, is of; empty if nothing was seen
     */
    EventTail(Session session, Predicate<List<Event>> print, String run, long last) {
        this.session = session;
        this.print = print;
        this.run = run;
        this.last = last;
    }

    /**
     * Follows until it is interrupted or the output is closed; throws {@link ShellException} if the daemon refuses, or
     * is not there when it begins.
     */
    void follow() {
        while (stream()) {
            if (away && !Interrupts.pause(pause)) {
                throw ShellException.interrupted();
            }
            pause = Collections.min(List.of(pause.multipliedBy(2), LONGEST_PAUSE));
        }
    }

    /** Follows one call to its end; false if the output is closed. */
    private boolean stream() {
        WatchEventsRequest.Builder request =
                WatchEventsRequest.newBuilder().setAfterSequence(last).setRun(run);
        try {
            Iterator<WatchEventsReply> parts = session.daemon().stream(
                    FOLLOW, stub -> stub.watchEvents(request.setFollow(true).build()));
            while (parts.hasNext()) {
                here();
                if (!take(parts.next())) {
                    return false;
                }
            }
            attached = true;
            gone();
        } catch (ShellException e) {
            if (e.exit() == ExitStatus.NOT_ATTACHED && attached) {
                gone();
            } else if (!e.code().equals("DEADLINE_EXCEEDED")) {
                throw e;
            }
        }
        return true;
    }

    private boolean take(WatchEventsReply reply) {
        if (!run.isEmpty() && !reply.getRun().equals(run)) {
            say("the daemon started anew, and its events are numbered from 1: what it told after number " + last
                    + " before that is lost");
            last = 0;
        }
        run = reply.getRun();
        List<Event> fresh = reply.getEventsList().stream()
                .filter(event -> event.getSequence() > last)
                .toList();
        fresh.forEach(event -> last = Math.max(last, event.getSequence()));
        return print.test(fresh);
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

    private void say(String what) {
        session.screen().err().println(session.screen().errPalette().paint(Tone.LABEL, "events: " + what));
        session.screen().err().flush();
    }
}
