package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.enipam.engine.port.CloudOperation;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A cloud operation's parameters on disk. The field {@code call} tells which operation it is. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "call")
@JsonSubTypes({
    @JsonSubTypes.Type(value = CloudCallJson.Create.class, name = "create"),
    @JsonSubTypes.Type(value = CloudCallJson.Attach.class, name = "attach"),
    @JsonSubTypes.Type(value = CloudCallJson.Assign.class, name = "assign"),
    @JsonSubTypes.Type(value = CloudCallJson.Unassign.class, name = "unassign"),
    @JsonSubTypes.Type(value = CloudCallJson.Detach.class, name = "detach"),
    @JsonSubTypes.Type(value = CloudCallJson.Delete.class, name = "delete")
})
sealed interface CloudCallJson {
    CloudOperation toOperation();

    static CloudCallJson of(CloudOperation operation) {
        if (operation instanceof CloudOperation.Create create) {
            return new Create(
                    create.clientToken(),
                    create.vswitch(),
                    create.securityGroups(),
                    new TreeMap<>(create.tags()),
                    create.ipv6Count());
        } else if (operation instanceof CloudOperation.Attach attach) {
            return new Attach(attach.eni(), attach.instance());
        } else if (operation instanceof CloudOperation.Assign assign) {
            return new Assign(assign.eni(), assign.count(), assign.ipv6Count(), assign.clientToken());
        } else if (operation instanceof CloudOperation.Unassign unassign) {
            return new Unassign(unassign.eni(), unassign.ips());
        } else if (operation instanceof CloudOperation.Detach detach) {
            return new Detach(detach.eni(), detach.instance());
        } else if (operation instanceof CloudOperation.Delete delete) {
            return new Delete(delete.eni());
        }
        throw new IllegalArgumentException(
                "unknown operation " + operation.getClass().getSimpleName());
    }

    record Create(
            @JsonProperty(value = "clientToken", required = true)
            String clientToken,

            @JsonProperty(value = "vswitch", required = true)
            String vswitch,

            @JsonProperty(value = "securityGroups", required = true)
            List<String> securityGroups,

            @JsonProperty(value = "tags", required = true) Map<String, String> tags,

            // left out where it is 0: older versions of this program read that
            @JsonProperty("ipv6Count") @JsonInclude(JsonInclude.Include.NON_DEFAULT)
            int ipv6Count)
            implements CloudCallJson {
        @Override
        public CloudOperation toOperation() {
            return new CloudOperation.Create(clientToken, vswitch, securityGroups, tags, ipv6Count);
        }
    }

    record Attach(
            @JsonProperty(value = "eni", required = true) String eni,

            @JsonProperty(value = "instance", required = true)
            String instance)
            implements CloudCallJson {
        @Override
        public CloudOperation toOperation() {
            return new CloudOperation.Attach(eni, instance);
        }
    }

    record Assign(
            @JsonProperty(value = "eni", required = true) String eni,
            @JsonProperty(value = "count", required = true) int count,

            @JsonProperty("ipv6Count") @JsonInclude(JsonInclude.Include.NON_DEFAULT)
            int ipv6Count,

            @JsonProperty(value = "clientToken", required = true)
            String clientToken)
            implements CloudCallJson {
        @Override
        public CloudOperation toOperation() {
            return new CloudOperation.Assign(eni, count, ipv6Count, clientToken);
        }
    }

    record Unassign(
            @JsonProperty(value = "eni", required = true) String eni,
            @JsonProperty(value = "ips", required = true) List<String> ips)
            implements CloudCallJson {
        @Override
        public CloudOperation toOperation() {
            return new CloudOperation.Unassign(eni, ips);
        }
    }

    record Detach(
            @JsonProperty(value = "eni", required = true) String eni,

            @JsonProperty(value = "instance", required = true)
            String instance)
            implements CloudCallJson {
        @Override
        public CloudOperation toOperation() {
            return new CloudOperation.Detach(eni, instance);
        }
    }

    record Delete(
            @JsonProperty(value = "eni", required = true) String eni) implements CloudCallJson {
        @Override
        public CloudOperation toOperation() {
            return new CloudOperation.Delete(eni);
        }
    }
}
