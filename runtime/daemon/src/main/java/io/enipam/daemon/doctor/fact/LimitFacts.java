package io.enipam.daemon.doctor.fact;

import io.enipam.aliyun.CloudProbe;

/** What the instance type allows, and what the configuration makes of it. */
public record LimitFacts(CloudProbe.Limits limits) {}
