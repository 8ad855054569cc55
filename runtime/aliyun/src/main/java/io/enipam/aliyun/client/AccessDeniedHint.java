package io.enipam.aliyun.client;

import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.ErrorReactions;
import io.enipam.aliyun.credentials.CredentialsProvider;

/** What to do when the cloud does not let this node in. */
final class AccessDeniedHint {
    private AccessDeniedHint() {}

    /** A few words, without a full stop; empty text if the failure says it itself. */
    static String of(EcsException failure, CredentialsProvider keys) {
        String code = failure.code();
        if (code.equals(ErrorReactions.NO_CREDENTIALS)) {
            return "";
        }
        if (code.startsWith("InvalidTimeStamp")) {
            return "this node's clock is more than 15 minutes off: set it, and keep it set (chrony, NTP)";
        }
        if (code.equals("SignatureNonceUsed")) {
            return "something repeats this node's requests: check proxies between it and the cloud";
        }
        if (code.startsWith("Forbidden")) {
            return "allow ecs:" + failure.action() + " in the RAM policy of the owner of " + keys.location();
        }
        return "check " + keys.location();
    }
}
