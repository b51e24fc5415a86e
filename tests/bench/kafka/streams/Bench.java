/* SPDX-License-Identifier: MIT */
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;

/** The benchmarks' work in Kafka Streams: Bench BROKERS GROUP IN OUT bytes|json STEPS FOLDER */
public final class Bench {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static Properties properties(String brokers, String group, String folder) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, group);
        properties.put(StreamsConfig.STATE_DIR_CONFIG, folder);
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 5000);
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG), "lz4");
        return properties;
    }

    private static Serde<JsonNode> json() {
        Deserializer<JsonNode> reader = (topic, bytes) -> {
            try {
                return MAPPER.readTree(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        return Serdes.serdeFrom((topic, value) -> {
            try {
                return MAPPER.writeValueAsBytes(value);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, reader);
    }

    private static <V> KStream<byte[], V> noops(KStream<byte[], V> records, int steps) {
        for (int i = 0; i < steps; i++) {
            records = records.mapValues(value -> value);
        }
        return records;
    }

    private static JsonNode compute(JsonNode record) {
        double temperature = record.get("temperature").doubleValue();
        ObjectNode result = MAPPER.createObjectNode();
        result.set("device", record.get("device"));
        result.set("ts", record.get("ts"));
        result.set("temperature", record.get("temperature"));
        result.put("fahrenheit", temperature * 9 / 5 + 32);
        result.put("load", record.get("humidity").doubleValue() * 2.5);
        return result;
    }

    private static void buildBytes(StreamsBuilder builder, String source, String target, int steps) {
        Serde<byte[]> bytes = Serdes.ByteArray();
        noops(builder.stream(source, Consumed.with(bytes, bytes)), steps).to(target, Produced.with(bytes, bytes));
    }

    private static void buildJson(StreamsBuilder builder, String source, String target, int steps) {
        Serde<byte[]> bytes = Serdes.ByteArray();
        Serde<JsonNode> json = json();
        noops(builder.stream(source, Consumed.with(bytes, json)), steps)
                .filter((key, record) -> record.get("temperature").doubleValue() >= 0)
                .mapValues(Bench::compute)
                .to(target, Produced.with(bytes, json));
    }

    public static void main(String[] arguments) {
        StreamsBuilder builder = new StreamsBuilder();
        int steps = Integer.parseInt(arguments[5]);
        if (arguments[4].equals("json")) {
            buildJson(builder, arguments[2], arguments[3], steps);
        } else {
            buildBytes(builder, arguments[2], arguments[3], steps);
        }
        KafkaStreams streams =
                new KafkaStreams(builder.build(), properties(arguments[0], arguments[1], arguments[6]));
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }
}
