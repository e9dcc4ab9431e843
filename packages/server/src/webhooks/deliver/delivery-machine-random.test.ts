import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HOUR, MachineWorld, type Reaction, SECOND } from './machine-world.test-support.ts'

const MINUTE = 60 * SECOND
const HOOKS = 4
const LONGEST_ATTEMPT = 15 * SECOND
const hook = fc.nat({ max: HOOKS - 1 })
const reaction: fc.Arbitrary<Reaction> = fc.oneof(
  fc.record({ status: fc.constantFrom(200, 404, 410, 500, 503), afterMs: fc.constantFrom(0, 20, 14_000) }),
  fc.constant({ status: 429, headers: { 'retry-after': '1' } }),
  fc.constant({ error: 'timeout' as const, afterMs: 15_000 }),
  fc.constant({ error: 'interrupted' as const, afterMs: 5 }),
)
const METHODS = ['dueWebhooks', 'nextDueAt', 'lease', 'release', 'finish', 'settle', 'health', 'expire', 'cancel']
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add'), hook, count: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ping'), hook }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(0, 10, 1000, 20_000, 600_000) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('react'), hook, reaction }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('enable'), hook, enabled: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('break'), method: fc.constantFrom(...METHODS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mend') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lock'), isLocked: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const WIDE = { expireMs: 60_000 }
/** Small enough that every bound is reached. */
const NARROW = {
  ...WIDE,
  mostLanes: 2,
  mostInFlight: 5,
  mostInFlightOfLane: 3,
  leaseLimit: 4,
  leaseBytes: 200,
  mostBytes: 400,
}

test('after any sequence of faults due deliveries are sent soon, and none is forgotten', async () => {
  const plan = fc.record({ steps: fc.array(step, { maxLength: 40 }), isNarrow: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(plan, async ({ steps, isNarrow }) => {
      const world = new MachineWorld({ rules: isNarrow ? NARROW : WIDE })
      const webhooks = Array.from({ length: HOOKS }, () => world.subscribe(() => ({ status: 200 })))
      await world.start()
      for (const one of steps) await take(world, webhooks, one)
      world.state.before = () => undefined
      world.directory.before = () => undefined
      for (const { url } of webhooks) world.receivers.set(url, () => ({ status: 200, afterMs: 10 }))
      // An attempt under way may still say that its receiver is gone, which disables the subscription.
      await world.pass(LONGEST_ATTEMPT)
      for (const { id } of webhooks) world.directory.edit(id, { enabled: true })
      const wellAt = world.timers.now()
      // The longest back-off, attempts under way and their results.
      await world.pass(2 * MINUTE)
      for (const { nextAttemptAt } of world.state.all()) assert.ok(nextAttemptAt === null || nextAttemptAt > wellAt)
      await world.pass(11 * HOUR)
      for (const { status, reason } of world.state.all()) assert.ok(status !== 'pending' && reason !== 'expired')
      assert.deepEqual([world.machine.heldCount, world.machine.laneCounts.active, world.state.leased.size], [0, 0, 0])
    }),
    { numRuns: 60 },
  )
})

async function take(world: MachineWorld, webhooks: ReturnType<MachineWorld['subscribe']>[], one: Step): Promise<void> {
  const webhook = 'hook' in one ? webhooks[one.hook] : undefined
  if ('ms' in one) await world.pass(one.ms)
  else if ('method' in one) {
    world.state.before = (method) => {
      if (method === one.method) throw new Error('busy')
    }
  } else if ('isLocked' in one) {
    world.directory.before = () => {
      if (one.isLocked) throw new Error('locked')
    }
  } else if (webhook === undefined) {
    if (one.kind === 'mend') world.state.before = () => undefined
    else await restart(world)
  } else if ('reaction' in one) world.receivers.set(webhook.url, () => one.reaction)
  else if ('enabled' in one) {
    world.directory.edit(webhook.id, { enabled: one.enabled })
    world.machine.reconsider(webhook.id)
  } else world.add(webhook, 'count' in one ? one.count : 1, 'count' in one ? 'trace.committed' : 'ping')
}

/** A restart: leases of the previous process are free. */
async function restart(world: MachineWorld): Promise<void> {
  await Promise.all([world.machine.stop(0), world.pass(0)])
  world.state.before = () => undefined
  await world.queue.release(world.state.all().map(({ id }) => id))
  world.machine = world.newMachine()
  await world.start()
}
