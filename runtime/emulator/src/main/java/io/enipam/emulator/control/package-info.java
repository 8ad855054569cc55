/**
 * Controls the cloud in ways that its API does not offer: faults, latency, limits, as a Java API and over HTTP. The package
 * imports all packages of the emulator but metadata and dataplane. The emulator's start and a daemon that embeds it call it.
 */
@NullMarked
package io.enipam.emulator.control;

import org.jspecify.annotations.NullMarked;
