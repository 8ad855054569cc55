package io.enipam.diagnostics.doctor.fact;

import io.enipam.diagnostics.readiness.AddReadiness;

/** Whether an ADD could be served now, as all others who ask hear it. */
public record ReadinessFacts(AddReadiness.Result verdict) {}
