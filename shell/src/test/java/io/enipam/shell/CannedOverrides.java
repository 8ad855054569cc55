package io.enipam.shell;

import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CniFinding;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.PoolOrder;
import io.enipam.v1.PoolProspect;
import io.enipam.v1.WarmPoolReply;
import io.enipam.v1.WarmPoolRequest;

/** What the fake daemon says of orders to the pool, and of CHECK. */
final class CannedOverrides {
    private CannedOverrides() {}

    static WarmPoolReply warm(WarmPoolRequest request) {
        return WarmPoolReply.newBuilder()
                .setOrder(PoolOrder.newBuilder()
                        .setKind("WARM")
                        .setIdle(request.getIdle())
                        .setSince(CannedReplies.ago(0))
                        .setUntil(CannedReplies.ago(-600)))
                .setProspect(PoolProspect.newBuilder()
                        .setIdle(2)
                        .setMakes(Math.min(request.getIdle() - 2, 10))
                        .setMissing(Math.max(0, request.getIdle() - 12)))
                .setDryRun(request.getDryRun())
                .build();
    }

    static DrainPoolReply drain(DrainPoolRequest request) {
        DrainPoolReply.Builder reply = DrainPoolReply.newBuilder()
                .setDryRun(request.getDryRun())
                .setChanged(true)
                .setProspect(PoolProspect.newBuilder()
                        .setIdle(5)
                        .setGives(4)
                        .setKeeps(1)
                        .setHeld(2)
                        .setInUse(3));
        if (!request.getUndo()) {
            reply.setOrder(PoolOrder.newBuilder().setKind("DRAINED").setSince(CannedReplies.ago(0)));
        }
        return reply.build();
    }

    static CheckCniReply check(CheckCniRequest request) {
        return CheckCniReply.newBuilder()
                .setPassed(true)
                .addFindings(finding("lease", "OK", "has 10.0.1.3 since 2026-11-21T07:59:48Z"))
                .addFindings(finding("pool", "OK", "lent to pod " + request.getPod()))
                .addFindings(finding("cloud", "UNKNOWN", "it did not answer within 10 s"))
                .build();
    }

    static CniFinding finding(String what, String state, String detail) {
        return CniFinding.newBuilder()
                .setWhat(what)
                .setState(state)
                .setDetail(detail)
                .build();
    }
}
