package io.enipam.engine.model;

import java.util.Optional;

/**
 * What a database says of the node whose leases it holds.
 *
 * @param identity the machine; empty as long as no cloud has told it
 * @param settled whether a start-up has completed on this database. Without that the database counts as new or lost: what
 *     kernel and API server know becomes leases before anything is handed out
 */
public record NodeRecord(Optional<NodeIdentity> identity, boolean settled) {}
