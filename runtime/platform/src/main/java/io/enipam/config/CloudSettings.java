package io.enipam.config;

import static io.enipam.config.BackoffType.backoffByName;
import static io.enipam.config.Setting.terways;
import static io.enipam.config.ValueTypes.choice;
import static io.enipam.config.ValueTypes.decimal;
import static io.enipam.config.ValueTypes.integer;
import static io.enipam.config.ValueTypes.names;
import static io.enipam.config.ValueTypes.namesByZone;
import static io.enipam.config.ValueTypes.numberByName;
import static io.enipam.config.ValueTypes.text;
import static io.enipam.config.ValueTypes.textByName;

import io.enipam.aliyun.client.CallConfig.Retries;
import java.util.List;
import java.util.Map;

/** The settings of the account, of the calls of the cloud, and of the ENIs that are made; {@link Schema#ALL} lists them all. */
final class CloudSettings {
    static final Setting<String> ACCESS_KEY = terways(
                    "access_key",
                    text("text of at most 128 characters", ".{0,128}"),
                    "",
                    "",
                    "Id of the access key; empty for credential_path, or else the instance's RAM role.")
            .asSecret();
    static final Setting<String> ACCESS_SECRET = terways(
                    "access_secret",
                    text("text of at most 256 characters", ".{0,256}"),
                    "",
                    "",
                    "Secret of the access key.")
            .asSecret();
    static final Setting<String> CREDENTIAL_PATH = terways(
            "credential_path",
            text("an absolute path, or empty text for none", "|/.{0,4095}"),
            "",
            "",
            "File with the credentials, in the format of ACK's token files; read again when it changes. Used where no"
                    + " access key is set; without either the instance's RAM role is used.");
    static final Setting<Map<String, Integer>> RATE_LIMIT = terways(
            "rate_limit",
            numberByName(100_000),
            Map.<String, Integer>of(),
            "calls a minute",
            "How often each API may be called, by its name; an empty name stands for all others. After throttling it is"
                    + " less for a while.");
    static final Setting<Map<String, Retries>> BACKOFF_OVERRIDE = terways(
            "backoff_override",
            backoffByName(),
            Map.<String, Retries>of(),
            "",
            "How calls are repeated: eni_create, eni_ops, eni_release, eni_ip_ops, and an empty name for all others."
                    + " Terway's other names are accepted and say nothing here. All of a call stays within 20s.");
    static final Setting<Map<String, List<String>>> VSWITCHES = terways(
            "vswitches",
            namesByZone(),
            Map.<String, List<String>>of(),
            "",
            "vSwitches by zone, in order of preference; empty for the instance's own.");
    static final Setting<String> SECURITY_GROUP = terways(
            "security_group",
            text("a security group id", "|[A-Za-z0-9-]{1,64}"),
            "",
            "",
            "The security group of every ENI; used beside security_groups.");
    static final Setting<List<String>> SECURITY_GROUPS = terways(
            "security_groups",
            names(10),
            List.<String>of(),
            "",
            "The security groups of every ENI; empty for the instance's own.");
    static final Setting<String> VSWITCH_POLICY = terways(
            "vswitch_selection_policy",
            choice("ordered", "random", "most"),
            "ordered",
            "",
            "Which of its zone's vSwitches the next ENI is made in: the first, any, or the one with most free addresses.");
    static final Setting<Integer> MAX_ENI =
            terways("max_eni", integer(0, 1000), 0, "ENIs", "Upper bound on secondary ENIs; 0 for none.");
    static final Setting<Integer> MIN_ENI = terways(
            "min_eni", integer(0, 1000), 0, "ENIs", "So many secondary ENIs are kept attached, whoever needs them.");
    static final Setting<Double> ENI_CAP_RATIO = terways(
            "eni_cap_ratio",
            decimal(0, 10),
            1.0,
            "",
            "Factor on the ENIs that the instance type allows beside the primary one; 0 stands for 1.");
    static final Setting<Integer> ENI_CAP_SHIFT = terways(
            "eni_cap_shift",
            integer(-1000, 1000),
            0,
            "ENIs",
            "Added to that product; what comes of it is at least 0, and at most what the instance type allows.");
    static final Setting<Map<String, String>> ENI_TAGS = terways(
            "eni_tags",
            textByName(20),
            Map.<String, String>of(),
            "",
            "Tags put on every ENI this node makes, beside creator, node and cluster, which win over them.");

    private CloudSettings() {}
}
