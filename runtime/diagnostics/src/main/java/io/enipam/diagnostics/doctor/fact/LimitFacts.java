package io.enipam.diagnostics.doctor.fact;

import io.enipam.aliyun.CloudProbe;

/** What the instance type allows, and what the configuration makes of it. */
public record LimitFacts(CloudProbe.Limits limits) {}
