/** What the checks judge, as plain records, and the probes that gather it from the daemon, its host and the cloud. */
@NullMarked
package io.enipam.daemon.doctor.fact;

import org.jspecify.annotations.NullMarked;
