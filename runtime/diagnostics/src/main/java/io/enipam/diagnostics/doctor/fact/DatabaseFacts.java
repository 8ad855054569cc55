package io.enipam.diagnostics.doctor.fact;

import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.DbTrouble;
import java.util.Optional;

/**
 * The database as it is used.
 *
 * @param trouble why nothing can be written, if so
 * @param bytes of its files
 */
public record DatabaseFacts(ResourceDb.Contents contents, Optional<DbTrouble> trouble, long bytes) {}
