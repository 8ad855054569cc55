package ${package};

import io.enipam.sdk.Extension;
import io.enipam.sdk.Setting;
import io.enipam.sdk.testkit.AllocatorContract;
import java.util.List;
import java.util.Map;

/** The rules every allocator keeps; the tests are inherited. */
class ${className}AllocatorContractTest extends AllocatorContract {
    private final ${className}Plugin plugin = new ${className}Plugin();

    @Override
    protected Extension extension() {
        return plugin.extensions().get(0);
    }

    @Override
    protected List<Setting<?>> settings() {
        return plugin.settings();
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of("addresses", List.of("10.0.0.2/24", "10.0.0.3/24", "10.0.0.4/24", "2001:db8::5/64"));
    }
}
