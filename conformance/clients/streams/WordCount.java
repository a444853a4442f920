import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Produced;

/// The word count that everyone starts with: a repartition topic, a state store and its changelog. Arguments: bootstrap, application id, input topic,
/// output topic, folder for the state. Runs until it is asked to stop.
class WordCount {
    public static void main(String[] arguments) throws InterruptedException {
        Properties settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[1]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[4]);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.AT_LEAST_ONCE);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put("auto.offset.reset", "earliest");
        settings.put("session.timeout.ms", 6000);

        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(arguments[2])
                .flatMapValues(line -> Arrays.asList(line.toLowerCase(Locale.ROOT).split(" ")))
                .groupBy((key, word) -> word)
                .count()
                .toStream()
                .mapValues(count -> Long.toString(count))
                .to(arguments[3], Produced.with(Serdes.String(), Serdes.String()));

        CountDownLatch stopped = new CountDownLatch(1);
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        streams.setStateListener((now, before) -> System.out.println("state " + now));
        streams.setUncaughtExceptionHandler(
                failure -> {
                    failure.printStackTrace();
                    return org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse
                            .SHUTDOWN_CLIENT;
                });
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    streams.close(Duration.ofSeconds(20));
                                    stopped.countDown();
                                }));
        streams.start();
        stopped.await();
    }
}
