package io.enipam.security;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * The client certificate and the private key of a kubeconfig, in all forms that kubectl takes: RSA, EC and Ed25519 in PKCS#8 ({@code
 * PRIVATE KEY}), RSA in PKCS#1 ({@code RSA PRIVATE KEY}, RFC 8017 A.1.2) and EC in SEC 1 ({@code EC PRIVATE KEY}, RFC 5915). As in
 * Go's {@code tls.X509KeyPair}, what is in a block counts and not what the block is called, and blocks of other kinds, such as {@code
 * EC PARAMETERS} before a key, are passed over: certificate and key may be in one file, as a kubelet's are.
 *
 * <p>No message has anything out of the key.
 */
public final class ClientIdentity {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,60})-----(.*?)-----END \\1-----", Pattern.DOTALL);
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");
    private static final String NOT_SAME = "the client key does not belong to the client certificate";
    private static final char[] NO_PASSWORD = "none".toCharArray();

    private static final int INTEGER = 0x02;
    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;
    private static final int PARAMETERS = 0xA0;

    /** rsaEncryption without parameters, as PKCS#8 has it. */
    private static final byte[] RSA = bytes("300d06092a864886f70d0101010500");

    /** id-ecPublicKey. */
    private static final byte[] EC = bytes("06072a8648ce3d0201");

    private ClientIdentity() {}

    /**
     * @param certificates in PEM, the client's own first
     * @param key in PEM
     * @throws KeyException if they are none, or do not belong together; the message says what is wrong, and what to do
     */
    public static X509ExtendedKeyManager of(byte[] certificates, byte[] key) throws KeyException {
        Collection<? extends Certificate> chain = chain(certificates);
        PrivateKey secret = key(key);
        requireSame(chain.iterator().next(), secret);
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, NO_PASSWORD);
            store.setKeyEntry("client", secret, NO_PASSWORD, chain.toArray(new Certificate[0]));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, NO_PASSWORD);
            return Stream.of(factory.getKeyManagers())
                    .filter(X509ExtendedKeyManager.class::isInstance)
                    .map(X509ExtendedKeyManager.class::cast)
                    .findFirst()
                    .orElseThrow(() -> new KeyException("this JDK has no key manager for X.509"));
        } catch (KeyException e) {
            throw e;
        } catch (GeneralSecurityException | IOException e) {
            throw new KeyException(
                    "this JDK cannot use the client key: " + e.getClass().getSimpleName(), e);
        }
    }

    private static Collection<? extends Certificate> chain(byte[] pem) throws KeyException {
        try {
            Collection<? extends Certificate> chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(certificatesAlone(pem)));
            if (chain.isEmpty()) {
                throw new KeyException("the client certificate is none; it begins with -----BEGIN CERTIFICATE-----");
            }
            return chain;
        } catch (CertificateException e) {
            // its words may repeat what was read
            throw new KeyException("the client certificate cannot be read; is it whole, and in PEM?");
        }
    }

    /** A kubelet keeps certificate and key in one file, and the JDK takes each block of a file for a certificate. */
    private static byte[] certificatesAlone(byte[] pem) {
        String blocks = BLOCK.matcher(new String(pem, StandardCharsets.ISO_8859_1))
                .results()
                .filter(block -> block.group(1).equals("CERTIFICATE"))
                .map(MatchResult::group)
                .collect(Collectors.joining("\n"));
        return blocks.isEmpty() ? pem : blocks.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static PrivateKey key(byte[] pem) throws KeyException {
        Matcher block = BLOCK.matcher(new String(pem, StandardCharsets.ISO_8859_1));
        while (block.find()) {
            if (!block.group(1).endsWith("PRIVATE KEY")) {
                continue;
            }
            if (block.group(1).startsWith("ENCRYPTED") || block.group(2).contains("ENCRYPTED")) {
                throw new KeyException(
                        "the client key is encrypted, which is not supported; decrypt it: openssl pkey -in KEY -out NEW");
            }
            byte[] der;
            try {
                der = Base64.getMimeDecoder().decode(block.group(2));
            } catch (IllegalArgumentException e) {
                throw new KeyException("the client key cannot be read; is it whole, and in PEM?");
            }
            return forms(der)
                    .flatMap(pkcs8 -> ALGORITHMS.stream().flatMap(name -> made(name, pkcs8).stream()))
                    .findFirst()
                    .orElseThrow(() -> new KeyException("the client key is neither RSA nor EC nor Ed25519, in PKCS#8,"
                            + " PKCS#1 or SEC 1; is it whole?"));
        }
        throw new KeyException("the client key is none; it begins with -----BEGIN PRIVATE KEY-----, or with RSA or EC"
                + " before PRIVATE");
    }

    private static Optional<PrivateKey> made(String algorithm, byte[] pkcs8) {
        try {
            return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8)));
        } catch (GeneralSecurityException e) {
            // it is of another algorithm, or this JDK does not know this one
            return Optional.empty();
        }
    }

    /** What the bytes would be in PKCS#8, for each form that they may have. */
    private static Stream<byte[]> forms(byte[] der) {
        return Stream.concat(
                Stream.of(der, pkcs8(RSA, der)),
                curve(der).map(curve -> pkcs8(tagged(SEQUENCE, joined(EC, curve)), der)).stream());
    }

    private static byte[] pkcs8(byte[] algorithm, byte[] key) {
        byte[] version = {INTEGER, 1, 0};
        return tagged(SEQUENCE, joined(version, algorithm, tagged(OCTETS, key)));
    }

    /** The named curve of an ECPrivateKey: SEQUENCE { INTEGER 1, OCTET STRING, [0] { OBJECT IDENTIFIER }, ... }. */
    private static Optional<byte[]> curve(byte[] der) {
        try {
            for (int at = start(der, 0), end = end(der, 0); at < end; at = end(der, at)) {
                if ((der[at] & 0xFF) == PARAMETERS) {
                    return Optional.of(Arrays.copyOfRange(der, start(der, at), end(der, at)));
                }
            }
        } catch (IndexOutOfBoundsException e) {
            // no DER, or cut short
            return Optional.empty();
        }
        return Optional.empty();
    }

    /** Where the content begins of what begins at an index. */
    private static int start(byte[] der, int at) {
        int length = der[at + 1] & 0xFF;
        return at + 2 + (length < 0x80 ? 0 : length & 0x7F);
    }

    private static int end(byte[] der, int at) {
        int start = start(der, at);
        int length = 0;
        if (start == at + 2) {
            length = der[at + 1] & 0xFF;
        } else {
            for (int i = at + 2; i < start; i++) {
                length = length << 8 | der[i] & 0xFF;
            }
        }
        if (length < 0 || length > der.length - start) {
            throw new IndexOutOfBoundsException(length);
        }
        return start + length;
    }

    private static byte[] tagged(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            int bytes = content.length < 0x100 ? 1 : content.length < 0x10000 ? 2 : 3;
            out.write(0x80 | bytes);
            for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
                out.write(content.length >>> shift);
            }
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Stream.of(parts).forEach(out::writeBytes);
        return out.toByteArray();
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    /** A server would end the handshake without a word of why. */
    private static void requireSame(Certificate certificate, PrivateKey key) throws KeyException {
        String signature = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "EdDSA";
        };
        try {
            byte[] text = "the same".getBytes(StandardCharsets.US_ASCII);
            Signature signing = Signature.getInstance(signature);
            signing.initSign(key);
            signing.update(text);
            Signature verifying = Signature.getInstance(signature);
            verifying.initVerify(certificate.getPublicKey());
            verifying.update(text);
            if (verifying.verify(signing.sign())) {
                return;
            }
        } catch (GeneralSecurityException e) {
            throw new KeyException(NOT_SAME, e);
        }
        throw new KeyException(NOT_SAME);
    }
}
