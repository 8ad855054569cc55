package ${package};

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Family;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.ResourceFactoryContract;
import io.enipam.sdk.testkit.TestContext;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules every factory keeps; the tests are inherited, but for the last. */
class ${className}FactoryContractTest extends ResourceFactoryContract {
    private static final List<String> ADDRESSES =
            IntStream.rangeClosed(2, 17).mapToObj(i -> "192.0.2." + i + "/24").toList();

    private final ${className}Plugin plugin = new ${className}Plugin();

    @Override
    protected List<Setting<?>> settings() {
        return plugin.settings();
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of("addresses", ADDRESSES);
    }

    @Override
    protected ResourceFactory open(PluginContext context) {
        return plugin.resourceFactories().get(0).open(context);
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), ADDRESSES.size(), 1, true);
    }

    @Test
    void withoutAddressesItCannotBeOpened() {
        PluginContext context = TestContext.builder().settings(settings()).build();
        assertThrows(FactoryException.class, () -> open(context));
    }
}
