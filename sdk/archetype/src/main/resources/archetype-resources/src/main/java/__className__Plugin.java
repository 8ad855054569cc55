package ${package};

#if($kind == "policy")
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.Setting;
import java.util.List;

/** What the plugin brings: one policy, its setting, and a diagnostic. Named in {@code META-INF/services}. */
public final class ${className}Plugin implements IpamPlugin {
    @Override
    public List<PoolPolicyProvider> poolPolicies() {
        return List.of(new PoolPolicyProvider() {
            @Override
            public String name() {
                return ${className}Policy.NAME;
            }

            @Override
            public PoolPolicy open(PluginContext context) {
                return new ${className}Policy(context.settings());
            }
        });
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(${className}Policy.HEADROOM);
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(new ${className}Diagnostic());
    }
}
#elseif($kind == "factory")
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.util.List;

/** What the plugin brings: one factory and its setting. Named in {@code META-INF/services}. */
public final class ${className}Plugin implements IpamPlugin {
    @Override
    public List<ResourceFactoryProvider> resourceFactories() {
        return List.of(ResourceFactoryProvider.of(${className}Factory.NAME, ${className}Factory::new));
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(${className}Factory.ADDRESSES);
    }
}
#elseif($kind == "allocator")
import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Role;
import io.enipam.sdk.Setting;
import java.util.List;
import java.util.Set;

/** What the plugin brings: one allocator and its setting. Named in {@code META-INF/services}. */
public final class ${className}Plugin implements IpamPlugin {
    @Override
    public List<Extension> extensions() {
        return List.of(Extension.of(${className}Allocator.NAME, Set.of(Role.NODE), ${className}Allocator::new));
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(${className}Allocator.ADDRESSES);
    }
}
#else
import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Role;
import java.util.List;
import java.util.Set;

/** What the plugin brings: one controller. Named in {@code META-INF/services}. */
public final class ${className}Plugin implements IpamPlugin {
    @Override
    public List<Extension> extensions() {
        return List.of(Extension.of(${className}Controller.NAME, Set.of(Role.NODE), ${className}Controller::new));
    }
}
#end
