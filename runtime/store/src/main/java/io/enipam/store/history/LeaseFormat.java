package io.enipam.store.history;

import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;

/** Ended leases, ordered by their first address, so that one address is in few blocks. Times are in milliseconds. */
final class LeaseFormat implements RecordFormat<LeaseRecord> {
    private static final LeaseEnd.Reason[] REASONS = LeaseEnd.Reason.values();

    @Override
    public String name() {
        return "leases";
    }

    @Override
    public Comparator<LeaseRecord> order() {
        return Comparator.comparing((LeaseRecord lease) -> lease.addresses().get(0))
                .thenComparing(LeaseRecord::since);
    }

    /** Each subject that a lease {@linkplain LeaseRecord#concerns concerns} has one of them in its {@link #probes}. */
    @Override
    public Stream<String> keys(LeaseRecord lease) {
        return Stream.concat(
                lease.addresses().stream(),
                Stream.of(
                                lease.eni(),
                                lease.resource(),
                                lease.pod().name(),
                                lease.podUid(),
                                LeaseRecord.shortId(lease.owner().containerId()))
                        .filter(key -> !key.isEmpty()));
    }

    static List<String> probes(String subject) {
        return Stream.of(subject, subject.substring(subject.indexOf('/') + 1), LeaseRecord.shortId(subject))
                .distinct()
                .toList();
    }

    @Override
    public Instant begin(LeaseRecord lease) {
        return lease.since();
    }

    @Override
    public Instant end(LeaseRecord lease) {
        return lease.end().orElseThrow().at();
    }

    @Override
    public byte[] encode(List<LeaseRecord> leases) {
        PackedBlock.Writer out = new PackedBlock.Writer();
        long lastSince = 0;
        out.number(leases.size());
        for (LeaseRecord lease : leases) {
            LeaseEnd end = lease.end().orElseThrow();
            out.number(lease.addresses().size());
            lease.addresses().forEach(out::text);
            out.text(lease.eni());
            out.text(shortened(lease));
            out.text(lease.pod().namespace());
            out.text(lease.pod().name());
            out.text(lease.podUid());
            out.text(lease.owner().network());
            out.text(lease.owner().containerId());
            out.text(lease.owner().ifName());
            out.signed(lease.since().toEpochMilli() - lastSince);
            lastSince = lease.since().toEpochMilli();
            out.signed(end.at().toEpochMilli() - lease.since().toEpochMilli());
            out.number(end.reason().ordinal());
            out.text(end.by());
            out.text(end.detail());
        }
        return out.bytes();
    }

    @Override
    public List<LeaseRecord> decode(byte[] block) throws IOException {
        try {
            PackedBlock.Reader in = new PackedBlock.Reader(block);
            Instant last = Instant.EPOCH;
            int count = (int) in.number();
            List<LeaseRecord> leases = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                LeaseRecord lease = lease(in, last);
                last = lease.since();
                leases.add(lease);
            }
            return leases;
        } catch (RuntimeException | DataFormatException e) { // whatever foreign bytes lead to
            throw new IOException("no block of leases: " + e, e);
        }
    }

    private static LeaseRecord lease(PackedBlock.Reader in, Instant last) {
        int many = (int) in.number();
        List<String> addresses = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            addresses.add(in.text());
        }
        String eni = in.text();
        String resource = in.text().replace("\u0001", addresses.get(0)).replace("\u0002", eni);
        PodRef pod = new PodRef(in.text(), in.text());
        String uid = in.text();
        OwnerKey owner = new OwnerKey(in.text(), in.text(), in.text());
        Instant since = last.plusMillis(in.signed());
        Instant until = since.plusMillis(in.signed());
        int reason = (int) in.number();
        // a later program may know more reasons
        LeaseEnd.Reason why = reason < REASONS.length ? REASONS[reason] : LeaseEnd.Reason.UNKNOWN;
        LeaseEnd end = new LeaseEnd(why, in.text(), in.text(), until);
        return new LeaseRecord(owner, pod, uid, addresses, resource, eni, since, Optional.of(end));
    }

    /** Of most resources the id is made of what stands in the record anyway. */
    private static String shortened(LeaseRecord lease) {
        String id = lease.resource().replace(lease.addresses().get(0), "\u0001");
        return lease.eni().isEmpty() ? id : id.replace(lease.eni(), "\u0002");
    }
}
