/**
 * HTTP: listening, limits, reading parameters, the order of the gateway's checks, and answers as JSON or XML. It imports
 * all packages of the emulator but metadata and state. The emulator's start and the metadata service call it.
 */
@NullMarked
package io.enipam.emulator.http;

import org.jspecify.annotations.NullMarked;
