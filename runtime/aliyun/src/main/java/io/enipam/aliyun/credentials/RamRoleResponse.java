package io.enipam.aliyun.credentials;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.net.URI;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** What the metadata service says of an instance's RAM role, and what its silence means. */
public final class RamRoleResponse {
    private static final String INSTEAD =
            "attach a RAM role to the instance, or set access_key and access_secret, or credential_path";

    private RamRoleResponse() {}

    /**
     * The keys in an answer: a JSON object with AccessKeyId, AccessKeySecret, SecurityToken, Expiration and the Code Success.
     *
     * @throws CredentialsException if there are none in it; its message shows nothing of the answer but its code
     */
    public static CloudCredentials keys(String role, String body) {
        JsonObject answer;
        try {
            answer = JsonParser.parseString(body).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException e) {
            throw CredentialsException.transientFailure("the metadata service gives no JSON object for the RAM role " + role);
        }
        String code = field(answer, "Code");
        if (!code.isEmpty() && !code.equals("Success")) {
            throw CredentialsException.transientFailure("the metadata service says " + code.replaceAll("[^A-Za-z0-9.]", "")
                    + " for the RAM role " + role + "; check that the role exists and trusts ecs.aliyuncs.com");
        }
        String id = field(answer, "AccessKeyId");
        String secret = field(answer, "AccessKeySecret");
        String token = field(answer, "SecurityToken");
        if (id.isEmpty() || secret.isEmpty() || token.isEmpty()) {
            throw CredentialsException.transientFailure("the metadata service gives no whole set of keys for the RAM role " + role);
        }
        return new CloudCredentials(id, secret, Optional.of(token), Optional.of(expiration(role, field(answer, "Expiration"))));
    }

    private static Instant expiration(String role, String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw CredentialsException.transientFailure(
                    "the metadata service gives no time at which the keys of RAM role " + role + " expire");
        }
    }

    private static String field(JsonObject object, String name) {
        return object.has(name) && object.get(name).isJsonPrimitive()
                ? object.get(name).getAsString()
                : "";
    }

    /** The instance has no role. */
    public static CredentialsException noRole() {
        return CredentialsException.permanent(
                "there are no credentials: none are configured, and this instance has no RAM role; " + INSTEAD);
    }

    /** The service refuses. */
    public static CredentialsException refused(URI service, int status) {
        return CredentialsException.transientFailure("metadata service " + service + " answers " + status
                + " for the credentials of this instance's RAM role; " + INSTEAD);
    }

    /** The service does not answer. */
    public static CredentialsException silent(String why) {
        return CredentialsException.transientFailure("the credentials of this instance's RAM role cannot be had: " + why);
    }
}
