package io.enipam.node.cloud;

import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import java.util.Map;
import java.util.stream.Collectors;

/** Where a cloud's next ENIs are made. Thread-safe. */
public interface EniPlacement {
    /** Of a cloud that has no vSwitches. */
    EniPlacement NONE = new EniPlacement() {
        @Override
        public void configure(EniConfig enis) {
            // nowhere
        }

        @Override
        public Map<String, String> ranges() {
            return Map.of();
        }
    };

    /**
     * Makes them elsewhere from now on. May block for some seconds.
     *
     * @param enis of which the vSwitches and the choice among them count alone
     * @throws io.enipam.sdk.FactoryException if none can be used, or the cloud does not answer: then all is as before
     */
    void configure(EniConfig enis);

    /** The ranges of the vSwitches by id, at least one where there are any. */
    Map<String, String> ranges();

    /** Those of Alibaba Cloud. */
    static EniPlacement of(AliyunCloud cloud) {
        return new EniPlacement() {
            @Override
            public void configure(EniConfig enis) {
                cloud.updateVSwitches(enis);
            }

            @Override
            public Map<String, String> ranges() {
                return cloud.vswitches().stream().collect(Collectors.toMap(VSwitch::id, VSwitch::cidr));
            }
        };
    }
}
