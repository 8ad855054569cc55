/**
 * HTTP: listening, limits, the order of the gateway's checks, and answers as JSON or XML. It imports the api, auth, cloud and
 * fault packages. The emulator's start, the control API and the metadata service call it.
 */
@NullMarked
package io.enipam.emulator.http;

import org.jspecify.annotations.NullMarked;
