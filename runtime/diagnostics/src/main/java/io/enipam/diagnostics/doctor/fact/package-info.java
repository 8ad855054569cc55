/** What the checks judge, as plain records, and the probes that gather it from the daemon, its host and the cloud. */
@NullMarked
package io.enipam.diagnostics.doctor.fact;

import org.jspecify.annotations.NullMarked;
