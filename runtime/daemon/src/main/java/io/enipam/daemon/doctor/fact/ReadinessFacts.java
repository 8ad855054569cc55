package io.enipam.daemon.doctor.fact;

import io.enipam.daemon.cni.AddReadiness;

/** Whether an ADD could be served now, as all others who ask hear it. */
public record ReadinessFacts(AddReadiness.Result verdict) {}
