package io.enipam.pluginhost.controller;

import io.enipam.sdk.Codec;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Host;
import io.enipam.sdk.Next;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Gives each node of a cluster a block of its own: the lowest number that is free. */
class Blocks implements Controller {
    static final Table<String> BLOCKS = new Table<>("blocks", 1, Codec.text());

    final ClusterObjects cluster;
    private final String name;
    private final Host host;

    /** @param name of its replica */
    Blocks(String name, Host host, ClusterObjects cluster) {
        this.cluster = cluster;
        this.name = name;
        this.host = host;
        host.journal().open(BLOCKS);
    }

    @Override
    public List<Source> watches() {
        return List.of(cluster.source(), Source.ofTable(host.journal(), BLOCKS));
    }

    @Override
    public Next reconcile(String node, Transaction tx) {
        boolean exists = cluster.nodes.contains(node);
        boolean has = tx.get(BLOCKS, node).isPresent();
        if (exists && !has) {
            Set<String> taken = tx.scan(BLOCKS, "").map(Row<String>::value).collect(Collectors.toSet());
            String free = IntStream.iterate(0, i -> i + 1)
                    .mapToObj(Integer::toString)
                    .filter(number -> !taken.contains(number))
                    .findFirst()
                    .orElseThrow();
            tx.put(BLOCKS, node, free);
            tx.effect("assign", node, free);
        } else if (has && !exists) {
            tx.delete(BLOCKS, node);
            tx.effect("withdraw", node, "");
        }
        return Next.done();
    }

    @Override
    public CompletionStage<EffectResult> perform(Effect effect) {
        // as a patch that names the version it changes: one of a former leader does not overwrite a later one
        synchronized (cluster.store) {
            if (!cluster.lease.holder().equals(name)) {
                return CompletableFuture.completedStage(Failed.of(ErrorKind.CONFLICT, "another one has changed it"));
            }
            if (effect.handler().equals("assign")) {
                cluster.assigned.put(effect.token(), effect.arguments());
            } else {
                cluster.assigned.remove(effect.token());
            }
        }
        return CompletableFuture.completedStage(EffectResult.performed());
    }
}
