package io.enipam.observability.metrics;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.EniDirectory;
import java.util.List;
import java.util.Optional;

/** What several parts read at one scrape, read once: so the pool's lock is taken once, and the parts agree. Not thread-safe. */
final class Moment {
    private final IpamEngine engine;
    private final EniDirectory directory;
    private Optional<PoolView> pool = Optional.empty();
    private Optional<List<EniDirectory.Eni>> enis = Optional.empty();

    Moment(IpamEngine engine, EniDirectory directory) {
        this.engine = engine;
        this.directory = directory;
    }

    PoolView pool() {
        if (pool.isEmpty()) {
            pool = Optional.of(engine.pool());
        }
        return pool.get();
    }

    List<EniDirectory.Eni> enis() {
        if (enis.isEmpty()) {
            enis = Optional.of(directory.enis());
        }
        return enis.get();
    }
}
