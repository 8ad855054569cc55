package io.enipam.examples.prefix;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import io.enipam.sdk.cloud.Cloud;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Brings the factory {@code prefix}, and a diagnostic of its prefixes. */
public final class PrefixPlugin implements IpamPlugin {
    static final Setting<Integer> MAX_ENIS = Setting.wholeNumber("max_enis", 0, 1_000, 0)
            .unit("ENIs")
            .doc("The most ENIs for prefixes; 0 for as many as the instance type allows.");
    static final Setting<Integer> PREFIXES_PER_ENI = Setting.wholeNumber("prefixes_per_eni", 0, 1_000, 0)
            .unit("prefixes")
            .doc("The most prefixes on one ENI; 0 for as many as the instance type allows.");
    static final Setting<Integer> SPARE_PREFIXES = Setting.wholeNumber("spare_prefixes", 0, 100, 1)
            .unit("prefixes")
            .doc("How many prefixes without an address in the pool are kept.");

    private final AtomicReference<@Nullable PrefixFactory> opened = new AtomicReference<>();

    @Override
    public List<ResourceFactoryProvider> resourceFactories() {
        return List.of(ResourceFactoryProvider.of(PrefixFactory.NAME, this::open));
    }

    private PrefixFactory open(PluginContext context) {
        Cloud cloud = context.service(Cloud.class)
                .orElseThrow(() -> new FactoryException(ErrorKind.MISCONFIGURED, "this host has no cloud"));
        PrefixFactory factory = PrefixFactory.open(context, cloud);
        opened.set(factory);
        return factory;
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(MAX_ENIS, PREFIXES_PER_ENI, SPARE_PREFIXES);
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(Diagnostic.of(
                "prefixes", "How full each prefix is, and on which ENI it is.", List.of(), request -> prefixes()));
    }

    private DiagnosticTable prefixes() {
        DiagnosticTable table = DiagnosticTable.of("PREFIX", "ENI", "VSWITCH", "OUT", "FREE", "STATE");
        PrefixFactory factory = Optional.ofNullable(opened.get())
                .orElseThrow(() -> new FactoryException(ErrorKind.UNAVAILABLE, "the factory prefix is not in force"));
        for (List<String> row : factory.table()) {
            table = table.row(row.toArray(String[]::new));
        }
        return table;
    }
}
