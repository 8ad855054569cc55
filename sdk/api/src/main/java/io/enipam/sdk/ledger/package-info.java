/**
 * What a host keeps for a part beside the part's own tables: effects that wait, grants in force, claims on ballots, and votes. For
 * those who host parts, the daemon and the testkit; a plugin needs nothing of it. It imports the SDK and the JDK, and works on any
 * {@link io.enipam.sdk.Journal}.
 */
@NullMarked
package io.enipam.sdk.ledger;

import org.jspecify.annotations.NullMarked;
