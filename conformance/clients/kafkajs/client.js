// KafkaJS produces, consumes in a group and administers. Arguments: bootstrap, a prefix for names.
const assert = require('assert')
const { Kafka, CompressionTypes, logLevel } = require('kafkajs')

const [bootstrap, prefix] = process.argv.slice(2)
const kafka = new Kafka({ clientId: 'conformance', brokers: [bootstrap], logLevel: logLevel.ERROR })
const topic = `${prefix}-topic`
const groupId = `${prefix}-group`
const count = 600

async function administer(admin) {
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 2 }] })
  await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] })
  let partitions = 0
  while (partitions !== 3) {
    partitions = (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0].partitions.length
  }
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: 2, name: topic, configEntries: [{ name: 'retention.ms', value: '123456' }] }],
  })
  let retention
  while (retention !== '123456') {
    const described = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name: topic }] })
    retention = described.resources[0].configEntries.find(entry => entry.configName === 'retention.ms').configValue
  }
  assert((await admin.listTopics()).includes(topic))
  console.log('done admin')
}

async function produce() {
  for (const [idempotent, compression] of [[false, CompressionTypes.None], [true, CompressionTypes.GZIP]]) {
    const producer = kafka.producer({ idempotent })
    await producer.connect()
    for (let batch = 0; batch < 3; batch++) {
      const messages = Array.from({ length: 100 }, (_, i) => ({
        key: `key${i}`, value: `${idempotent}-${batch}-${i}`, headers: { batch: `${batch}` },
      }))
      await producer.send({ topic, acks: -1, compression, messages })
    }
    await producer.disconnect()
  }
  console.log('done produce')
}

async function consumeInAGroup() {
  const seen = new Set()
  const members = [kafka.consumer({ groupId, sessionTimeout: 10000 }), kafka.consumer({ groupId, sessionTimeout: 10000 })]
  await new Promise((resolve, reject) => {
    for (const member of members) {
      member.on(member.events.CRASH, event => reject(event.payload.error))
      member.connect()
        .then(() => member.subscribe({ topics: [topic], fromBeginning: true }))
        .then(() => member.run({
          eachMessage: async ({ message }) => {
            seen.add(message.value.toString())
            if (seen.size === count) resolve()
          },
        }))
        .catch(reject)
    }
  })
  for (const member of members) {
    await member.disconnect()
  }
  console.log('done consume')
}

async function inspect(admin) {
  const offsets = await admin.fetchTopicOffsets(topic)
  assert.strictEqual(offsets.reduce((sum, partition) => sum + Number(partition.offset), 0), count)
  const described = await admin.describeGroups([groupId])
  assert.strictEqual(described.groups[0].groupId, groupId)
  const committed = await admin.fetchOffsets({ groupId, topics: [topic] })
  assert(committed[0].partitions.some(partition => Number(partition.offset) > 0))
  await admin.deleteGroups([groupId])
  await admin.deleteTopics({ topics: [topic] })
  console.log('done inspect')
}

async function main() {
  const admin = kafka.admin()
  await admin.connect()
  await administer(admin)
  await produce()
  await consumeInAGroup()
  await inspect(admin)
  await admin.disconnect()
}

main().then(() => process.exit(0), error => {
  console.error(error)
  process.exit(1)
})
