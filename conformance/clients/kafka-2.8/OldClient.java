import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/// What an application of 2021 does all day, with the client of that year. Arguments: bootstrap, a prefix for names. Prints a line per finished step
/// and fails with the first that does not work.
class OldClient {
    private final String bootstrap;
    private final String topic;
    private final String group;

    OldClient(String bootstrap, String prefix) {
        this.bootstrap = bootstrap;
        topic = prefix + "-topic";
        group = prefix + "-group";
    }

    public static void main(String[] arguments) throws Exception {
        OldClient client = new OldClient(arguments[0], arguments[1]);
        try (Admin admin = Admin.create(client.settings())) {
            client.createTopic(admin);
            client.produce();
            client.consume();
            client.consumeInAGroup();
            client.describeGroup(admin);
            client.changeSettings(admin);
            client.listOffsetsAndDeleteRecords(admin);
            client.deleteEverything(admin);
        }
    }

    private void createTopic(Admin admin) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3))).all().get();
        while (admin.describeTopics(List.of(topic)).all().get().get(topic).partitions().size() < 3) {
            Thread.sleep(50);
        }
        check(admin.listTopics().names().get().contains(topic), "the topic is not listed");
        System.out.println("done create");
    }

    private void produce() throws Exception {
        for (String compression : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
            for (String acks : List.of("0", "1", "all")) {
                for (boolean idempotent : acks.equals("all") ? List.of(false, true) : List.of(false)) {
                    Map<String, Object> settings = settings();
                    settings.put("compression.type", compression);
                    settings.put("acks", acks);
                    settings.put("enable.idempotence", idempotent);
                    try (KafkaProducer<String, String> producer =
                            new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
                        List<Future<RecordMetadata>> sent = new ArrayList<>();
                        for (int i = 0; i < 25; i++) {
                            sent.add(producer.send(new ProducerRecord<>(topic, i % 3, "key" + i, compression + acks + i)));
                        }
                        for (Future<RecordMetadata> one : sent) {
                            one.get();
                        }
                    }
                }
            }
        }
        System.out.println("done produce");
    }

    private void consume() {
        try (KafkaConsumer<String, String> consumer = consumer(settings())) {
            List<TopicPartition> partitions = new ArrayList<>();
            consumer.partitionsFor(topic).forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            check(read(consumer, 500).size() == 500, "not all messages came");
            check(consumer.endOffsets(partitions).values().stream().mapToLong(end -> end).sum() == 500, "wrong ends");
            Map<TopicPartition, Long> times = new HashMap<>();
            partitions.forEach(partition -> times.put(partition, 0L));
            check(consumer.offsetsForTimes(times).values().stream().allMatch(found -> found.offset() == 0), "wrong start");
        }
        System.out.println("done consume");
    }

    private void consumeInAGroup() {
        Map<String, Object> settings = settings();
        settings.put("group.id", group);
        settings.put("enable.auto.commit", false);
        try (KafkaConsumer<String, String> consumer = consumer(settings)) {
            consumer.subscribe(Collections.singleton(topic));
            check(read(consumer, 500).size() == 500, "not all messages came");
            consumer.commitSync();
        }
        try (KafkaConsumer<String, String> consumer = consumer(settings)) {
            consumer.subscribe(Collections.singleton(topic));
            while (consumer.assignment().size() < 3) {
                check(consumer.poll(Duration.ofMillis(200)).isEmpty(), "committed messages came again");
            }
            consumer.assignment().forEach(consumer::position);
        }
        System.out.println("done group");
    }

    private void describeGroup(Admin admin) throws Exception {
        check(
                admin.listConsumerGroups().all().get().stream().anyMatch(listing -> listing.groupId().equals(group)),
                "the group is not listed");
        check(
                admin.describeConsumerGroups(List.of(group)).all().get().get(group).members().isEmpty(),
                "members have not left");
        check(
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().values().stream()
                                .mapToLong(offset -> offset.offset())
                                .sum()
                        == 500,
                "wrong offsets");
        System.out.println("done describe");
    }

    @SuppressWarnings("deprecation")
    private void changeSettings(Admin admin) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        ConfigEntry retention = new ConfigEntry("retention.ms", "123456789");
        admin.alterConfigs(Map.of(resource, new Config(List.of(retention)))).all().get();
        awaitSetting(admin, resource, "retention.ms", "123456789");
        ConfigEntry segment = new ConfigEntry("segment.bytes", "2000000");
        admin.incrementalAlterConfigs(Map.of(resource, List.of(new AlterConfigOp(segment, AlterConfigOp.OpType.SET))))
                .all()
                .get();
        awaitSetting(admin, resource, "segment.bytes", "2000000");
        awaitSetting(admin, resource, "retention.ms", "123456789");
        System.out.println("done settings");
    }

    private static void awaitSetting(Admin admin, ConfigResource resource, String key, String value) throws Exception {
        while (!admin.describeConfigs(List.of(resource)).all().get().get(resource).get(key).value().equals(value)) {
            Thread.sleep(50);
        }
    }

    private void listOffsetsAndDeleteRecords(Admin admin) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        long end = admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition).get().offset();
        long low =
                admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(end - 1)))
                        .lowWatermarks()
                        .get(partition)
                        .get()
                        .lowWatermark();
        check(low == end - 1, "wrong low watermark");
        System.out.println("done records");
    }

    private void deleteEverything(Admin admin) throws Exception {
        admin.deleteConsumerGroups(List.of(group)).all().get();
        admin.deleteTopics(List.of(topic)).all().get();
        check(!admin.describeCluster().nodes().get().isEmpty(), "no nodes");
        System.out.println("done delete");
    }

    private KafkaConsumer<String, String> consumer(Map<String, Object> settings) {
        settings.put("auto.offset.reset", "earliest");
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    private static List<ConsumerRecord<String, String>> read(KafkaConsumer<String, String> consumer, int count) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (records.size() < count && System.nanoTime() < deadline) {
            consumer.poll(Duration.ofMillis(200)).forEach(records::add);
        }
        return records;
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        return settings;
    }

    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}
