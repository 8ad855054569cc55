package io.enipam.daemon;

import io.enipam.aliyun.calls.CallBook;
import io.enipam.daemon.cloud.SharedSession;
import io.enipam.daemon.live.LiveConfig;
import io.enipam.daemon.live.ServiceAddresses;
import io.enipam.engine.IpamEngine;

/** Who goes by the configuration while the daemon runs, and has to be told when it is another one. */
record Followers(IpamEngine engine, CallBook calls, SharedSession cloud, ServiceAddresses services) {
    void of(LiveConfig live) {
        // before the watermarks: what those call for is made where it is wanted now
        live.follow("the limits of calls", config -> calls.limits(config.calls().perMinute()));
        live.follow("the vSwitches", config -> cloud.place(config.enis()));
        live.follow("watermarks and intervals", config -> engine.reconfigure(config.engine()));
        live.follow("the service addresses", config -> services.look());
        live.alsoTell(services::refusals);
    }
}
