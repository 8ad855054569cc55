package io.enipam.frontends.rpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.enipam.engine.model.OwnerKey;
import io.enipam.frontends.grpc.GrpcFailures;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** Conversions between values and messages. Thread-safe. */
final class Proto {
    /** By the rules of protobuf. */
    private static final long MOST_SECONDS = 315_576_000_000L;

    private static final Duration LONGEST = Duration.ofDays(10_000);
    private static final Map<Shape, Map<FieldDescriptor, Method>> GETTERS = new ConcurrentHashMap<>();

    private Proto() {}

    /**
     * Fills a message by names: each field that is not set yet gets what the method of its name returns, of the first of the values that
     * has one. Of an enum the field gets the name, of other values {@code toString}; a number beyond the field's range stays at its end,
     * and an empty Optional sets nothing. A value in the place of a message fills that in the same way. A map becomes a message for each
     * entry, with key and value in the first two fields, or one message with a field for each key.
     *
     * <p>The caller sets fields without such a method; {@code ProtoTest} has their list, so that a renamed method is noticed.
     */
    static <B extends Message.Builder> B fill(B message, Object... values) {
        Descriptor type = message.getDescriptorForType();
        boolean[] done = new boolean[type.getFields().size()];
        message.getAllFields().keySet().forEach(field -> done[field.getIndex()] = true);
        for (Object value : values) {
            getters(type, value.getClass()).forEach((field, getter) -> {
                if (!done[field.getIndex()]) {
                    done[field.getIndex()] = true;
                    set(message, field, invoke(getter, value));
                }
            });
        }
        return message;
    }

    /** Of a reply with one field the value is that field; another is filled from it. */
    static Message.Builder reply(Message.Builder empty, Object value) {
        List<FieldDescriptor> fields = empty.getDescriptorForType().getFields();
        if (fields.size() > 1) {
            return fill(empty, value);
        }
        set(empty, fields.get(0), value);
        return empty;
    }

    /** The methods of a class that fill fields of a message. */
    static Map<FieldDescriptor, Method> getters(Descriptor message, Class<?> type) {
        return GETTERS.computeIfAbsent(new Shape(message, type), shape -> {
            Map<FieldDescriptor, Method> getters = new LinkedHashMap<>();
            for (FieldDescriptor field : message.getFields()) {
                try {
                    Method getter = type.getMethod(field.getJsonName());
                    if (fits(field, getter.getReturnType())) {
                        getters.put(field, getter);
                    }
                } catch (NoSuchMethodException e) {
                    continue; // the caller sets it, or another value has it
                }
            }
            return getters;
        });
    }

    private static boolean fits(FieldDescriptor field, Class<?> type) {
        boolean list = Collection.class.isAssignableFrom(type);
        boolean map = Map.class.isAssignableFrom(type);
        if (field.isRepeated()) {
            return list || map;
        }
        return switch (field.getJavaType()) {
            case BOOLEAN -> type == boolean.class;
            case MESSAGE -> !list;
            default -> !list && !map;
        };
    }

    private record Shape(Descriptor message, Class<?> type) {}

    private static Object invoke(Method getter, Object value) {
        try {
            return getter.invoke(value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(getter + " cannot be called", e);
        }
    }

    private static void set(Message.Builder message, FieldDescriptor field, Object value) {
        if (value instanceof Optional<?> some) {
            some.ifPresent(present -> set(message, field, present));
        } else if (value instanceof OptionalLong some) {
            some.ifPresent(present -> set(message, field, present));
        } else if (!field.isRepeated()) {
            message.setField(field, wire(message, field, value));
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> {
                Message.Builder entry = message.newBuilderForField(field);
                List<FieldDescriptor> parts = entry.getDescriptorForType().getFields();
                set(entry, parts.get(0), key);
                set(entry, parts.get(1), each);
                message.addRepeatedField(field, entry.build());
            });
        } else {
            ((Collection<?>) value).forEach(each -> message.addRepeatedField(field, wire(message, field, each)));
        }
    }

    private static Object wire(Message.Builder message, FieldDescriptor field, Object value) {
        return switch (field.getJavaType()) {
            case STRING -> value instanceof Enum<?> constant ? constant.name() : value.toString();
            case INT -> (int) Math.min(((Number) value).longValue(), Integer.MAX_VALUE);
            case LONG -> ((Number) value).longValue();
            case MESSAGE ->
                value instanceof Message done ? done : message(() -> message.newBuilderForField(field), value);
            default -> value;
        };
    }

    private static Message message(Supplier<Message.Builder> empty, Object value) {
        if (value instanceof Instant at) {
            return timestamp(at);
        }
        if (value instanceof Duration duration) {
            return duration(duration);
        }
        if (value instanceof OwnerKey owner) {
            return PoolMapper.owner(owner);
        }
        if (value instanceof Map<?, ?> map) {
            Message.Builder message = empty.get();
            Descriptor type = message.getDescriptorForType();
            map.forEach((key, each) ->
                    set(message, type.findFieldByName(key.toString().toLowerCase(Locale.ROOT)), each));
            return message.build();
        }
        return fill(empty.get(), value).build();
    }

    static <T, M> List<M> all(Collection<T> values, Function<? super T, M> mapper) {
        return values.stream().map(mapper).toList();
    }

    /** The last of them, as many as a request asks for; 0 is all. */
    static <T> List<T> last(List<T> all, int limit) {
        return limit > 0 && limit < all.size() ? all.subList(all.size() - limit, all.size()) : all;
    }

    static Timestamp timestamp(Instant at) {
        return Timestamp.newBuilder()
                .setSeconds(at.getEpochSecond())
                .setNanos(at.getNano())
                .build();
    }

    static Instant instant(Timestamp at) {
        return Instant.ofEpochSecond(at.getSeconds(), at.getNanos());
    }

    static com.google.protobuf.Duration duration(Duration duration) {
        // protobuf wants seconds and nanos of one sign, java.time has nanos above zero
        boolean borrow = duration.getSeconds() < 0 && duration.getNano() > 0;
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(duration.getSeconds() + (borrow ? 1 : 0))
                .setNanos(duration.getNano() - (borrow ? 1_000_000_000 : 0))
                .build();
    }

    /**
     * A span of time before now.
     *
     * @throws io.enipam.engine.model.IpamException {@code INVALID_ARGUMENT} if it is below zero or above 10,000 days
     */
    static Duration span(com.google.protobuf.Duration asked) {
        Duration span = duration(asked);
        if (span.isNegative() || span.compareTo(LONGEST) > 0) {
            throw GrpcFailures.invalid("a span of " + span.toSeconds() + " s makes no sense", "as in: 10s, 5m or 2h");
        }
        return span;
    }

    /** @throws io.enipam.engine.model.IpamException {@code INVALID_ARGUMENT} if no duration of protobuf is like that */
    static Duration duration(com.google.protobuf.Duration duration) {
        long seconds = duration.getSeconds();
        long nanos = duration.getNanos();
        boolean mixed = Long.signum(seconds) * Long.signum(nanos) < 0;
        if (mixed
                || Math.abs(seconds) > MOST_SECONDS
                || Math.abs(nanos) >= 1_000_000_000
                || seconds == Long.MIN_VALUE) {
            throw GrpcFailures.invalid(
                    seconds + " s and " + nanos + " ns are no duration",
                    "both have one sign, and it is 10,000 years at most");
        }
        return Duration.ofSeconds(seconds, nanos);
    }
}
