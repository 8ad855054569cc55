package io.enipam.frontends.rpc;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.engine.model.IpamException;
import io.enipam.v1.CloudCall;
import io.enipam.v1.GetCloudBudgetReply;
import io.enipam.v1.ListCloudCallsReply;
import io.enipam.v1.ListCloudCallsRequest;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** Calls about the calls that this daemon made to the cloud. Thread-safe. */
final class ApiCallHandler {
    private final ApiCallLog book;

    ApiCallHandler(ApiCallLog book) {
        this.book = book;
    }

    void calls(ListCloudCallsRequest request, StreamObserver<ListCloudCallsReply> observer) {
        List<CloudCall> calls;
        try {
            calls = ApiCallMapper.calls(book, request);
        } catch (IpamException refusal) {
            observer.onError(GrpcFailures.of(refusal));
            return;
        }
        ChunkedReply.send(
                observer,
                calls,
                chunk -> ListCloudCallsReply.newBuilder().addAllCalls(chunk).build());
    }

    GetCloudBudgetReply budget() {
        return GetCloudBudgetReply.newBuilder()
                .addAllApis(ApiCallMapper.budget(book))
                .build();
    }
}
