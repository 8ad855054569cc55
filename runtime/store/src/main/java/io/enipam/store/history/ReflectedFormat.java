package io.enipam.store.history;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;

/**
 * Any Java record as bytes, by the names of its components: what is 0 or empty is left out, a component that the bytes do not have is 0 or
 * empty, and one that the class does not have any more is passed over. So that files outlive a change of the class. A component is a
 * number, a boolean, a text, an enum, a time (of the years 1678 to 2261), a duration, an address, a record, or an Optional, a list or a
 * map of these.
 *
 * @param type of the records
 * @param name what full files are called
 * @param keys what a record is found by
 */
public record ReflectedFormat<T extends Record>(
        Class<T> type,
        String name,
        Function<T, Stream<String>> keys,
        Function<T, Instant> begin,
        Function<T, Instant> end)
        implements RecordFormat<T> {
    private static final long NANOS = 1_000_000_000L;

    private static final int NUMBER = 0;
    private static final int TEXT = 1;
    private static final int LIST = 2;
    private static final int MAP = 3;

    private static final Map<Class<?>, Shape> SHAPES = new ConcurrentHashMap<>();

    /** The components of a record's class, by their names, and its constructor. */
    private record Shape(Map<String, RecordComponent> components, Constructor<?> constructor) {
        static Shape of(Class<?> type) {
            return SHAPES.computeIfAbsent(type, record -> {
                RecordComponent[] all = record.getRecordComponents();
                Map<String, RecordComponent> byName = new LinkedHashMap<>();
                for (RecordComponent component : all) {
                    byName.put(component.getName(), component);
                }
                Class<?>[] types =
                        Arrays.stream(all).map(RecordComponent::getType).toArray(Class<?>[]::new);
                try {
                    return new Shape(byName, record.getConstructor(types));
                } catch (NoSuchMethodException e) {
                    throw new IllegalArgumentException(record + " has no public constructor", e);
                }
            });
        }
    }

    /** In the order in which they came. */
    @Override
    public Comparator<T> order() {
        return (one, other) -> 0; // the sort is stable
    }

    @Override
    public Stream<String> keys(T record) {
        return keys.apply(record).filter(key -> !key.isEmpty());
    }

    @Override
    public Instant begin(T record) {
        return begin.apply(record);
    }

    @Override
    public Instant end(T record) {
        return end.apply(record);
    }

    @Override
    public byte[] encode(List<T> records) {
        PackedBlock.Writer out = new PackedBlock.Writer();
        out.number(records.size());
        records.forEach(record -> write(out, plain(record)));
        return out.bytes();
    }

    @Override
    public List<T> decode(byte[] block) throws IOException {
        try {
            PackedBlock.Reader in = new PackedBlock.Reader(block);
            long count = in.number();
            List<T> records = new ArrayList<>();
            for (long i = 0; i < count; i++) {
                records.add(type.cast(typed(read(in), type)));
            }
            return records;
        } catch (RuntimeException | DataFormatException | ReflectiveOperationException e) { // of foreign bytes
            throw new IOException("no block of " + name + ": " + e, e);
        }
    }

    /** A value as a number, a text, a list or a map by text; of what is 0 or empty the empty one of these. */
    private static Object plain(Object value) {
        if (value instanceof Optional<?> some) {
            return some.map(ReflectedFormat::plain).orElse("");
        }
        if (value instanceof Long || value instanceof Integer) {
            return ((Number) value).longValue();
        }
        if (value instanceof Boolean flag) {
            return flag ? 1L : 0L;
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (value instanceof Instant time) {
            return Math.addExact(Math.multiplyExact(time.getEpochSecond(), NANOS), time.getNano());
        }
        if (value instanceof Duration span) {
            return span.toNanos();
        }
        if (value instanceof InetAddress address) {
            return address.getHostAddress();
        }
        if (value instanceof List<?> list) {
            return list.stream().map(ReflectedFormat::plain).toList();
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> plain = new LinkedHashMap<>();
            map.forEach((key, each) -> plain.put(String.valueOf(plain(key)), plain(each)));
            return plain;
        }
        if (value instanceof Record) {
            Map<String, Object> plain = new LinkedHashMap<>();
            Shape.of(value.getClass()).components().forEach((name, component) -> {
                Object each = plain(get(component.getAccessor(), value));
                if (!List.of(0L, "", List.of(), Map.of()).contains(each)) {
                    plain.put(name, each);
                }
            });
            return plain;
        }
        return value.toString();
    }

    private static Object get(Method accessor, Object of) {
        try {
            return accessor.invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(accessor + " cannot be called", e);
        }
    }

    private static void write(PackedBlock.Writer out, Object plain) {
        if (plain instanceof Long number) {
            out.number(NUMBER);
            out.signed(number);
        } else if (plain instanceof List<?> list) {
            out.number(LIST);
            out.number(list.size());
            list.forEach(each -> write(out, each));
        } else if (plain instanceof Map<?, ?> map) {
            out.number(MAP);
            out.number(map.size());
            map.forEach((key, each) -> {
                out.text(key.toString());
                write(out, each);
            });
        } else {
            out.number(TEXT);
            out.text(plain.toString());
        }
    }

    private static Object read(PackedBlock.Reader in) throws IOException {
        int kind = (int) in.number();
        switch (kind) {
            case NUMBER -> {
                return in.signed();
            }
            case TEXT -> {
                return in.text();
            }
            case LIST -> {
                List<Object> list = new ArrayList<>();
                for (long left = in.number(); left > 0; left--) {
                    list.add(read(in));
                }
                return list;
            }
            case MAP -> {
                Map<String, Object> map = new LinkedHashMap<>();
                for (long left = in.number(); left > 0; left--) {
                    map.put(in.text(), read(in));
                }
                return map;
            }
            default -> throw new IOException("a value of kind " + kind);
        }
    }

    private static Object typed(Object plain, Type type) throws ReflectiveOperationException, UnknownHostException {
        if (type instanceof ParameterizedType of) {
            Type[] parts = of.getActualTypeArguments();
            if (of.getRawType() == Optional.class) {
                return plain.equals("") ? Optional.empty() : Optional.of(typed(plain, parts[0]));
            }
            if (of.getRawType() == List.class) {
                List<Object> list = new ArrayList<>();
                for (Object each : plain instanceof List<?> some ? some : List.of()) {
                    list.add(typed(each, parts[0]));
                }
                return list;
            }
            Map<Object, Object> map = new LinkedHashMap<>();
            for (Map.Entry<?, ?> each : (plain instanceof Map<?, ?> some ? some : Map.of()).entrySet()) {
                map.put(typed(each.getKey(), parts[0]), typed(each.getValue(), parts[1]));
            }
            return map;
        }
        Class<?> wanted = (Class<?>) type;
        if (wanted.isRecord()) {
            return made(wanted, plain instanceof Map<?, ?> some ? some : Map.of());
        }
        if (wanted.isEnum()) {
            return Arrays.stream(wanted.getEnumConstants())
                    .filter(constant -> ((Enum<?>) constant).name().equals(plain))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(wanted + " has no " + plain));
        }
        if (wanted == InetAddress.class) {
            return InetAddress.getByName(plain.toString());
        }
        long number = plain instanceof Long some ? some : 0;
        if (wanted == long.class || wanted == Long.class) {
            return number;
        }
        if (wanted == int.class || wanted == Integer.class) {
            return (int) number;
        }
        if (wanted == boolean.class) {
            return number != 0;
        }
        if (wanted == Instant.class) {
            return Instant.ofEpochSecond(Math.floorDiv(number, NANOS), Math.floorMod(number, NANOS));
        }
        return wanted == Duration.class ? Duration.ofNanos(number) : plain.toString();
    }

    private static Object made(Class<?> wanted, Map<?, ?> plain)
            throws ReflectiveOperationException, UnknownHostException {
        Shape shape = Shape.of(wanted);
        List<Object> values = new ArrayList<>();
        for (RecordComponent component : shape.components().values()) {
            Object given = plain.get(component.getName());
            values.add(typed(given == null ? "" : given, component.getGenericType()));
        }
        return shape.constructor().newInstance(values.toArray());
    }
}
