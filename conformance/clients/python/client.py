"""confluent-kafka (librdkafka) produces, consumes in a group and administers. Arguments: bootstrap, a prefix for names."""
import sys
import time

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

bootstrap, prefix = sys.argv[1:3]
topic, group = prefix + "-topic", prefix + "-group"
admin = AdminClient({"bootstrap.servers": bootstrap})


def result(futures):
    for future in futures.values():
        value = future.result(60)
    return value


def partition_count():
    described = admin.list_topics(topic, timeout=30).topics[topic]
    return len(described.partitions) if described.error is None else 0


def await_partitions(count):
    while partition_count() != count:
        time.sleep(0.05)


result(admin.create_topics([NewTopic(topic, 2, 1)]))
await_partitions(2)
result(admin.create_partitions([NewPartitions(topic, 3)]))
await_partitions(3)
settings = result(admin.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, topic)]))
assert settings["cleanup.policy"].value == "delete", settings["cleanup.policy"].value
print("done admin")

acknowledged = []


def delivered(error, message):
    assert error is None, error
    acknowledged.append((message.partition(), message.offset()))


producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "compression.type": "lz4"})
for i in range(1000):
    producer.produce(topic, key=str(i % 7), value="v%d" % i, headers={"n": str(i)}, callback=delivered)
    producer.poll(0)
assert producer.flush(60) == 0
assert len(set(acknowledged)) == 1000
print("done produce")

consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest",
                     "enable.auto.commit": False})
consumer.subscribe([topic])
seen = []
deadline = time.monotonic() + 60
while len(seen) < 1000 and time.monotonic() < deadline:
    message = consumer.poll(0.2)
    if message is not None:
        assert message.error() is None or message.error().code() == KafkaError._PARTITION_EOF, message.error()
        seen.append((message.partition(), message.offset()))
assert sorted(seen) == sorted(acknowledged), "%d of 1000 came" % len(seen)
consumer.commit(asynchronous=False)
committed = consumer.committed([TopicPartition(topic, p) for p in range(3)], timeout=30)
assert sum(max(0, p.offset) for p in committed) == 1000, committed
consumer.close()
print("done consume")

result(admin.delete_topics([topic]))
print("done delete")
