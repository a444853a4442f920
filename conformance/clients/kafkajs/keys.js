// KafkaJS sends one message for each key. Arguments: bootstrap, topic; the keys come by stdin, one in each line.
const { Kafka, Partitioners, logLevel } = require('kafkajs')

const [bootstrap, topic] = process.argv.slice(2)
const kafka = new Kafka({ clientId: 'conformance', brokers: [bootstrap], logLevel: logLevel.ERROR })

async function main() {
  const keys = require('fs').readFileSync(0, 'utf8').split('\n').filter(key => key.length > 0)
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  await producer.send({ topic, acks: -1, messages: keys.map(key => ({ key, value: 'kafkajs' })) })
  await producer.disconnect()
}

main().then(() => process.exit(0), error => {
  console.error(error)
  process.exit(1)
})
