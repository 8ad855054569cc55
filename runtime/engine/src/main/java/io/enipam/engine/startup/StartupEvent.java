package io.enipam.engine.startup;

import io.enipam.engine.model.Event;

/** Something the start-up found and has to tell; an event, but for its time. */
record StartupEvent(Event.Severity severity, String type, String subject, String message) {}
