package io.enipam.aliyun.eni;

import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.sdk.Created;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Which wish a token names: the same token makes one address while it lives. Guarded by the fleet's lock. */
final class RequestTokenIndex {
    private static final int REMEMBERED = 4096;

    private final EniRegistry fleet;
    private final ResourceMapper resources;
    private final Map<RequestToken, AddressRequest> tickets = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<RequestToken, AddressRequest> eldest) {
            return size() > REMEMBERED && eldest.getValue().answered();
        }
    };

    RequestTokenIndex(EniRegistry fleet, ResourceMapper resources) {
        this.fleet = fleet;
        this.resources = resources;
    }

    void add(AddressRequest ticket) {
        tickets.put(ticket.token(), ticket);
    }

    /** The wish of this name, if it is open or its address is still the engine's. */
    Optional<AddressRequest> find(RequestToken token) {
        return Optional.ofNullable(tickets.get(token)).filter(this::holds);
    }

    private boolean holds(AddressRequest ticket) {
        if (!ticket.answered()) {
            return true;
        }
        return ticket.result().getNow(null) instanceof Created created && lent(created.resource());
    }

    private boolean lent(Resource resource) {
        String ip = ResourceMapper.ipv4(resource);
        return fleet.eni(resources.eniOf(resource))
                .map(eni -> eni.addresses().get(ip))
                .filter(address -> address.is(Holder.ENGINE))
                .isPresent();
    }
}
