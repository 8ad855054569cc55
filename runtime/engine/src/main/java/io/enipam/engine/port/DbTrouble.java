package io.enipam.engine.port;

import java.time.Instant;

/**
 * Why a database cannot make anything durable, or soon cannot.
 *
 * @param cause what failed and where, one line for a person
 * @param since when the trouble came
 */
public record DbTrouble(String cause, Instant since) {}
