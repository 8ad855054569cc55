package io.enipam.aliyun.client;

import com.aliyuncs.ecs.model.v20140526.CreateNetworkInterfaceResponse;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesResponse;
import com.aliyuncs.vpc.model.v20160428.DescribeRouteEntryListResponse;
import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsApi.NetworkInterface.EniType;
import io.enipam.aliyun.api.EcsApi.RouteEntry;
import io.enipam.aliyun.api.EcsException.UrlRedactor;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns the SDK's beans, any getter of which may answer null, into the port's records. */
final class SdkResponseMapper {
    private static final Logger LOG = LoggerFactory.getLogger(SdkResponseMapper.class);

    private SdkResponseMapper() {}

    static NetworkInterface created(CreateNetworkInterfaceResponse eni) {
        String primary = text(eni.getPrivateIpAddress());
        List<String> ipv6s = ipv6s(eni.getIpv6Sets(), ip -> ip.getIpv6Address());
        return new NetworkInterface(
                text(eni.getNetworkInterfaceId()),
                CloudEniStatus.AVAILABLE,
                text(eni.getMacAddress()),
                text(eni.getVSwitchId()),
                new NetworkInterface.Attachment("", type(eni.getType())),
                new NetworkInterface.Addresses(primary, canonical(List.of(primary), Family.IPV4), ipv6s),
                new NetworkInterface.Origin(
                        text(eni.getRequestId()),
                        Optional.empty(),
                        tags(eni.getTags(), tag -> tag.getTagKey(), tag -> tag.getTagValue())));
    }

    static NetworkInterface described(
            DescribeNetworkInterfacesResponse.NetworkInterfaceSet eni, @Nullable String requestId) {
        var attachment = eni.getAttachment();
        String instance = text(eni.getInstanceId()).isEmpty() && attachment != null
                ? text(attachment.getInstanceId())
                : text(eni.getInstanceId());
        List<String> ipv6s = ipv6s(eni.getIpv6Sets(), ip -> ip.getIpv6Address());
        List<String> prefixes = eni.getIpv4PrefixSets() == null
                ? List.of()
                : eni.getIpv4PrefixSets().stream()
                        .map(prefix -> text(prefix.getIpv4Prefix()))
                        .toList();
        return new NetworkInterface(
                text(eni.getNetworkInterfaceId()),
                CloudEniStatus.parse(text(eni.getStatus())),
                text(eni.getMacAddress()),
                text(eni.getVSwitchId()),
                new NetworkInterface.Attachment(
                        instance,
                        type(eni.getType()),
                        attachment == null ? "" : text(attachment.getTrunkNetworkInterfaceId()),
                        attachment == null ? 0 : number(attachment.getDeviceIndex())),
                new NetworkInterface.Addresses(text(eni.getPrivateIpAddress()), addresses(eni), ipv6s, prefixes),
                new NetworkInterface.Origin(
                        text(requestId),
                        instant(eni.getCreationTime()),
                        tags(eni.getTags(), tag -> tag.getTagKey(), tag -> tag.getTagValue())));
    }

    private static EniType type(@Nullable String type) {
        return switch (text(type)) {
            case "Primary" -> EniType.PRIMARY;
            case "Trunk" -> EniType.TRUNK;
            case "Member" -> EniType.MEMBER;
            default -> EniType.SECONDARY;
        };
    }

    private static <T> Map<String, String> tags(
            @Nullable List<T> tags, Function<T, @Nullable String> key, Function<T, @Nullable String> value) {
        Map<String, String> all = new HashMap<>();
        for (T tag : tags == null ? List.<T>of() : tags) {
            all.put(text(key.apply(tag)), text(value.apply(tag)));
        }
        return all;
    }

    static RouteEntry route(DescribeRouteEntryListResponse.RouteEntry entry) {
        var hops = entry.getNextHops();
        boolean none = hops == null || hops.isEmpty();
        return new RouteEntry(
                text(entry.getRouteTableId()),
                text(entry.getDestinationCidrBlock()),
                none ? "" : text(hops.get(0).getNextHopType()),
                none ? "" : text(hops.get(0).getNextHopId()),
                text(entry.getStatus()));
    }

    private static <T> List<String> ipv6s(@Nullable List<T> set, Function<T, @Nullable String> address) {
        return set == null
                ? List.of()
                : canonical(set.stream().map(ip -> text(address.apply(ip))).toList(), Family.IPV6);
    }

    private static List<String> addresses(DescribeNetworkInterfacesResponse.NetworkInterfaceSet eni) {
        List<String> ips = new ArrayList<>();
        if (eni.getPrivateIpSets() != null) {
            eni.getPrivateIpSets().forEach(ip -> ips.add(text(ip.getPrivateIpAddress())));
        }
        String primary = text(eni.getPrivateIpAddress());
        if (!primary.isEmpty() && !ips.contains(primary)) {
            ips.add(0, primary);
        }
        return canonical(ips, Family.IPV4);
    }

    /** An IPv6 address has many texts; this program knows one of each. What is no address of the family is left out. */
    static List<String> canonical(@Nullable List<String> ips, Family family) {
        List<String> all = new ArrayList<>();
        for (String ip : ips == null ? List.<String>of() : ips) {
            try {
                Address address = Address.parse(text(ip));
                if (address.family() != family) {
                    throw new IllegalArgumentException("of the other family");
                }
                all.add(address.host());
            } catch (IllegalArgumentException e) {
                LOG.warn("the cloud names '{}' as an {} address, which it is not: it is left out", oneLine(ip), family);
            }
        }
        return all;
    }

    /** The API writes {@code 2026-11-21T08:30:00Z}, in places without the seconds. */
    static Optional<Instant> instant(@Nullable String value) {
        String text = text(value);
        try {
            return text.isEmpty()
                    ? Optional.empty()
                    : Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    static String text(@Nullable String value) {
        return Objects.requireNonNullElse(value, "");
    }

    static int number(@Nullable Number value) {
        return value == null ? 0 : value.intValue();
    }

    /** What the cloud says, fit for one line of a log. */
    static String oneLine(@Nullable String message) {
        String line = UrlRedactor.withoutQuery(text(message).replaceAll("\\p{Cntrl}+", " "))
                .strip();
        return line.length() <= 300 ? line : line.substring(0, 297) + "...";
    }
}
