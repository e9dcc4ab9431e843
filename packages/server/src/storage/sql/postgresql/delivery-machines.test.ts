import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { eventually } from '../../../../../../e2e/lib/eventually.ts'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { systemTimers } from '../../../lib/time/timers.ts'
import { deliveryOf, eventOf, hookOf, idOf, PROJECT } from '../../../ports/webhooks/delivery-builders.test-support.ts'
import type { DeliverySender, SendOutcome } from '../../../ports/webhooks/delivery-sender.ts'
import { MemoryWebhooks } from '../../../ports/webhooks/memory-webhooks.test-support.ts'
import { CLUSTER_DELIVERY_RULES } from '../../../webhooks/deliver/delivery-machine-rules.ts'
import { DeliveryMachine } from '../../../webhooks/deliver/delivery-machine.ts'
import { openDatabaseClock } from './database-clock.ts'
import { type TestPostgresql, testPostgresql } from './test-postgresql.test-support.ts'
import { openPostgresqlDeliveries } from '../deliveries/open-postgresql-deliveries.ts'

const postgresql = await testPostgresql()
if (typeof postgresql === 'string') test('delivery machines of several nodes', { skip: postgresql }, () => undefined)
else testMachines(postgresql)

function testMachines(server: TestPostgresql): void {
  const DELIVERED: SendOutcome = { response: { status: 204, headers: {}, body: '', truncated: false }, error: null }

  /** A receiver that takes a few milliseconds for each request, and what it saw. */
  class Receiver implements DeliverySender {
    readonly arrived: string[] = []
    mostUnderWay = 0
    underWay = 0

    async send({ body }: { readonly body: Uint8Array }): Promise<SendOutcome> {
      this.arrived.push(Buffer.from(body).toString())
      this.underWay += 1
      this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay)
      await new Promise((resolve) => setTimeout(resolve, 3 + (this.arrived.length % 7)))
      this.underWay -= 1
      return DELIVERED
    }

    async close(): Promise<void> {}
  }

  const openMachine = async (context: TestContext, url: string, node: string, receiver: Receiver) => {
    const database = await server.open(context, { url })
    const onError = (error: unknown, message: string) => assert.fail(`${message}: ${String(error)}`)
    const clock = await openDatabaseClock({ database, timers: systemTimers, onError })
    const store = await openPostgresqlDeliveries({
      box: TEST_BOX,
      database,
      node,
      clock,
      timers: systemTimers,
      mostLeased: 4,
      onError,
    })
    const directory = new MemoryWebhooks()
    directory.put({
      id: hookOf(1),
      projectId: PROJECT,
      url: 'https://receiver.test/',
      events: ['trace.committed'],
      description: '',
      enabled: true,
      disabledReason: null,
      disabledAt: null,
      sincePosition: 0,
      format: 'json',
      previousSecretUntil: null,
      createdAt: 0,
      updatedAt: 0,
      secrets: ['secret'],
    })
    const sent: string[] = []
    const machine = new DeliveryMachine({
      queue: store.queue,
      directory,
      sender: receiver,
      sign: () => ({}),
      publicUrl: null,
      userAgent: 'Spoor/test',
      clock,
      timers: systemTimers,
      random: Math.random,
      onAttempt: ({ delivery }) => sent.push(delivery.id),
      onError,
      rules: CLUSTER_DELIVERY_RULES,
    })
    const stop = async () => {
      await machine.stop(5000)
      await store.close()
      await clock.close()
    }
    return { ...store, machine, sent, stop }
  }

  test('two machines send each delivery once, and together no more at once than the subscription may have', async (context) => {
    const url = await server.migratedUrl(context)
    const receiver = new Receiver()
    const nodes = [await openMachine(context, url, 'a', receiver), await openMachine(context, url, 'b', receiver)]
    const [a, b] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
    const count = 200
    await a.intake.add(
      Array.from({ length: count }, (_, index) => eventOf(index + 1)),
      count,
    )
    for (const { machine } of nodes) machine.start()
    await eventually('all are sent', async () => (await a.queue.pendingCount()) === 0)
    await Promise.all(nodes.map(({ stop }) => stop()))
    assert.equal(new Set(receiver.arrived).size, count)
    assert.equal(receiver.arrived.length, count)
    assert.deepEqual(
      [...a.sent, ...b.sent].toSorted(),
      Array.from({ length: count }, (_, index) => deliveryOf(index + 1)).toSorted(),
    )
    assert.ok(receiver.mostUnderWay <= 4, String(receiver.mostUnderWay))
  })

  test('a machine finds what another node has added', async (context) => {
    const url = await server.migratedUrl(context)
    const receiver = new Receiver()
    const [a, b] = [await openMachine(context, url, 'a', receiver), await openMachine(context, url, 'b', receiver)]
    b.machine.start()
    await new Promise((resolve) => setTimeout(resolve, 100))
    await a.intake.add([eventOf(1, [1], { contentOf: idOf('tr', 1) })], 1)
    await eventually('it is sent', () => b.sent.length > 0)
    assert.deepEqual(b.sent, [deliveryOf(1)])
    await Promise.all([a.stop(), b.stop()])
  })
}
