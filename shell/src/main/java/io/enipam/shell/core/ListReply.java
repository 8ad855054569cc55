package io.enipam.shell.core;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the daemon answered to a question for a list.
 *
 * @param parts the items as they arrive; to be read once
 * @param reply the whole reply, if it came as one and may have more in it than the list
 */
public record ListReply<I extends Message>(Iterator<? extends List<I>> parts, Optional<Message> reply) {
    /** A list that is a field of a reply. */
    public static <I extends Message> ListReply<I> of(Message reply, List<I> items) {
        return new ListReply<>(List.of(items).iterator(), Optional.of(reply));
    }

    /** A list that is no reply's. */
    public static <I extends Message> ListReply<I> of(List<I> items) {
        return new ListReply<>(List.of(items).iterator(), Optional.empty());
    }

    /** A list in parts. */
    public static <R, I extends Message> ListReply<I> of(Iterator<R> replies, Function<R, List<I>> items) {
        return new ListReply<>(
                new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return replies.hasNext();
                    }

                    @Override
                    public List<I> next() {
                        return items.apply(replies.next());
                    }
                },
                Optional.empty());
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
