/**
 * HTTP: listening, limits, the gateway of ECS and VPC with the order of its checks, the metadata service, and answers as JSON or
 * XML. It imports the api, cloud and fault packages. The emulator's start and the control API call it.
 */
@NullMarked
package io.enipam.emulator.http;

import org.jspecify.annotations.NullMarked;
