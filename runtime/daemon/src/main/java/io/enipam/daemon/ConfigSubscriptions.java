package io.enipam.daemon;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.node.cloud.SharedCloudSession;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.config.dynamic.ServiceCidrResolver;
import io.enipam.engine.IpamEngine;

/** Who goes by the configuration while the daemon runs, and has to be told when it is another one. */
record ConfigSubscriptions(IpamEngine engine, ApiCallLog calls, SharedCloudSession cloud, ServiceCidrResolver services) {
    void subscribeTo(LiveConfig live) {
        // before the watermarks: what those call for is made where it is wanted now
        live.follow("the limits of calls", config -> calls.setLimits(config.calls().perMinute()));
        live.follow("the vSwitches", config -> cloud.configure(config.enis()));
        live.follow("watermarks and intervals", config -> engine.reconfigure(config.engine()));
        live.follow("the service addresses", config -> services.refresh());
        live.addConditions(services::refusals);
    }
}
