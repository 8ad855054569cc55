package io.enipam.examples.cidr;

import io.enipam.examples.cidr.AddressPlan.CidrSettings;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.ResourceFactoryContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

class CidrFactoryContractTest extends ResourceFactoryContract {
    private Path directory = Path.of("");

    @Override
    protected ResourceFactory open(PluginContext context) {
        directory = context.directory();
        return new CidrPlugin().resourceFactories().get(0).open(context);
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), 13, 1, true);
    }

    @Override
    protected List<Setting<?>> settings() {
        return CidrSettings.ALL;
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of("ranges", List.of("10.64.0.0/28"));
    }

    /** The disk is this factory's provider. */
    @Override
    protected boolean breakProvider() {
        move("addresses", "away");
        return true;
    }

    @Override
    protected void mendProvider() {
        move("away", "addresses");
    }

    private void move(String from, String to) {
        try {
            Files.move(directory.resolve(from), directory.resolve(to));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
