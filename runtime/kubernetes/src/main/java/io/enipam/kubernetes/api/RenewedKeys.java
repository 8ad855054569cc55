package io.enipam.kubernetes.api;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** The key and the certificate that are in their files when a connection is opened. Thread-safe. */
final class RenewedKeys extends X509ExtendedKeyManager {
    private final FromFiles<X509ExtendedKeyManager> keys;

    RenewedKeys(FromFiles<X509ExtendedKeyManager> keys) {
        this.keys = keys;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
        return keys.now().chooseEngineClientAlias(types, issuers, engine);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
        return keys.now().chooseClientAlias(types, issuers, socket);
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal[] issuers) {
        return keys.now().getClientAliases(type, issuers);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        return keys.now().getCertificateChain(alias);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        return keys.now().getPrivateKey(alias);
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
        return keys.now().chooseServerAlias(type, issuers, socket);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal[] issuers) {
        return keys.now().getServerAliases(type, issuers);
    }
}
