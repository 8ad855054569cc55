package io.enipam.shell.core;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Function;
import java.util.stream.StreamSupport;

/** The answer to a question for a list: items as they arrive, read once, and the reply, if it came as one. */
public record ListReply<I extends Message>(Iterator<? extends List<I>> parts, Optional<Message> reply) {
    public static <I extends Message> ListReply<I> of(Message reply, List<I> items) {
        return new ListReply<>(List.of(items).iterator(), Optional.of(reply));
    }

    /** A field that is text. Throws IllegalArgumentException if it is not there. */
    public static String text(Struct item, String name) {
        return item.getFieldsOrThrow(name).getStringValue();
    }

    public static <I extends Message> ListReply<I> of(List<I> items) {
        return new ListReply<>(List.of(items).iterator(), Optional.empty());
    }

    public static <R, I extends Message> ListReply<I> of(Iterator<R> replies, Function<R, List<I>> items) {
        Spliterator<R> parts = Spliterators.spliteratorUnknownSize(replies, 0);
        return new ListReply<>(StreamSupport.stream(parts, false).map(items).iterator(), Optional.empty());
    }

    /** The same in order, for which all of it is read; a reply that holds other things than the items stays as it is. */
    public ListReply<I> sorted(String field, Comparator<I> order) {
        List<I> all = new ArrayList<>();
        parts.forEachRemaining(all::addAll);
        all.sort(order);
        return new ListReply<>(List.of(all).iterator(), reply.map(whole -> {
            FieldDescriptor list = whole.getDescriptorForType().findFieldByName(field);
            return list == null ? whole : whole.toBuilder().setField(list, all).build();
        }));
    }
}
