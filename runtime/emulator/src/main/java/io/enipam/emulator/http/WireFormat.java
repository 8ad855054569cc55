package io.enipam.emulator.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.StringWriter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** How answers are written. The wire's default is XML; every SDK asks for JSON. */
public enum WireFormat {
    JSON("application/json;charset=utf-8") {
        @Override
        String write(String root, ObjectNode body) {
            try {
                return MAPPER.writeValueAsString(body);
            } catch (JsonProcessingException impossible) {
                throw new IllegalStateException("a JSON tree that cannot be written", impossible);
            }
        }
    },
    XML("text/xml;charset=utf-8") {
        @Override
        String write(String root, ObjectNode body) {
            StringWriter text = new StringWriter();
            try {
                XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
                xml.writeStartDocument("UTF-8", "1.0");
                element(xml, root, body);
                xml.writeEndDocument();
                xml.close();
            } catch (XMLStreamException impossible) {
                throw new IllegalStateException("XML that cannot be written to memory", impossible);
            }
            return text.toString();
        }
    };

    private static final JsonMapper MAPPER = new JsonMapper();
    /** XML 1.0 has no way to write most control characters; a client may have put them into a description. */
    private static final Pattern ILLEGAL =
            Pattern.compile("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]");

    private final String contentType;

    WireFormat(String contentType) {
        this.contentType = contentType;
    }

    /** The format a client asks for; anything but JSON means XML. */
    static WireFormat of(Optional<String> asked) {
        return asked.map(text -> text.toUpperCase(Locale.ROOT))
                        .filter("JSON"::equals)
                        .isPresent()
                ? JSON
                : XML;
    }

    String contentType() {
        return contentType;
    }

    /** The text of an answer; {@code root} names it where the format has names for roots. */
    abstract String write(String root, ObjectNode body);

    private static void element(XMLStreamWriter xml, String name, JsonNode node) throws XMLStreamException {
        if (node.isArray()) {
            for (JsonNode item : node) {
                element(xml, name, item);
            }
            return;
        }
        xml.writeStartElement(name);
        if (node.isObject()) {
            for (var field : node.properties()) {
                element(xml, field.getKey(), field.getValue());
            }
        } else {
            xml.writeCharacters(ILLEGAL.matcher(node.asText()).replaceAll("\uFFFD"));
        }
        xml.writeEndElement();
    }
}
