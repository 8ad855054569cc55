package io.enipam.shell.render;

import java.time.Instant;
import java.time.ZoneId;

/**
 * What a rendering depends on beside the message.
 *
 * @param now the time that ages are counted to
 */
public record Look(Palette palette, Instant now, ZoneId zone) {}
