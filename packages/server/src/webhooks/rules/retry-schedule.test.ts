import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  correctedTimes,
  isUntried,
  type NextAttempt,
  nextAttempt,
  RETRY_WAITS_MS,
  SCHEDULE_MS,
} from './retry-schedule.ts'

const START = Date.UTC(2026, 2, 3, 12)

interface Try {
  /** Start of the attempt. */
  readonly at: number
  readonly isEarly: boolean
}

/** All attempts of one delivery whose receiver fails each after `lasts` with this `Retry-After`. */
function attempts(
  one: (index: number) => { lasts: number; retryAfterMs: number | null; random: number; late: number },
): Try[] {
  const tries: Try[] = []
  let next: ReturnType<typeof nextAttempt> = {
    nextAttemptAt: START,
    schedule: { startedAt: START, step: 0, stepDueAt: null },
  }
  while (next !== null) {
    const { lasts, retryAfterMs, random, late } = one(tries.length)
    const at = next.nextAttemptAt + late
    tries.push({ at, isEarly: next.schedule.stepDueAt !== null })
    next = nextAttempt({ schedule: next.schedule, now: at + lasts, retryAfterMs, random })
  }
  return tries
}

const seconds = (tries: readonly Try[]) => tries.map(({ at }) => (at - START) / 1000)

test('the waits are as documented, with eleven attempts', () => {
  const longest = attempts(() => ({ lasts: 0, retryAfterMs: null, random: 1, late: 0 }))
  assert.deepEqual(seconds(longest), [0, 5, 35, 155, 755, 2555, 6155, 13_355, 27_755, 49_355, 85_355])
  const shortest = attempts(() => ({ lasts: 0, retryAfterMs: null, random: 0, late: 0 }))
  assert.deepEqual(
    seconds(shortest),
    [0, 4.5, 31.5, 139.5, 679.5, 2299.5, 5539.5, 12_019.5, 24_979.5, 44_419.5, 76_819.5],
  )
})

test('a longer Retry-After is limited to the step', () => {
  const once = (retryAfterMs: number) =>
    nextAttempt({
      schedule: { startedAt: START, step: 1, stepDueAt: null },
      now: START + 5000,
      retryAfterMs,
      random: 0,
    })
  const used = { startedAt: START, step: 2, stepDueAt: null }
  assert.deepEqual(once(28_000), { nextAttemptAt: START + 33_000, schedule: used })
  assert.deepEqual(once(30_000), { nextAttemptAt: START + 35_000, schedule: used })
  assert.deepEqual(once(3_600_000), { nextAttemptAt: START + 35_000, schedule: used })
})

test('a shorter Retry-After causes one early attempt and does not move the end of the step', () => {
  const early = nextAttempt({
    schedule: { startedAt: START, step: 2, stepDueAt: null },
    now: START + 35_000,
    retryAfterMs: 10_000,
    random: 0.5,
  })
  const stepDueAt = START + 35_000 + 114_000
  assert.deepEqual(early, { nextAttemptAt: START + 45_000, schedule: { startedAt: START, step: 2, stepDueAt } })
  assert.ok(early !== null)
  const after = nextAttempt({ schedule: early.schedule, now: START + 46_000, retryAfterMs: 10_000, random: 0.5 })
  assert.deepEqual(after, { nextAttemptAt: stepDueAt, schedule: { startedAt: START, step: 3, stepDueAt: null } })
  // An early attempt that outlasts its step is followed by the next at once, but for a second.
  const late = nextAttempt({ schedule: early.schedule, now: stepDueAt + 5000, retryAfterMs: null, random: 0.5 })
  assert.equal(late?.nextAttemptAt, stepDueAt + 6000)
})

test('an attempt that would start after the end is moved before it, if possible', () => {
  const end = START + SCHEDULE_MS
  const schedule = { startedAt: START, step: 9, stepDueAt: null }
  const at = (now: number) => nextAttempt({ schedule, now, retryAfterMs: null, random: 1 })?.nextAttemptAt
  assert.equal(at(end - 3_600_000), end - 1000)
  assert.equal(at(end - 2000), end - 1000)
  assert.equal(at(end - 1999), undefined)
  assert.equal(at(end + 5000), undefined)
})

const course = fc.array(
  fc.record({
    lasts: fc.integer({ min: 0, max: 15_000 }),
    retryAfterMs: fc.option(fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 40_000_000 }))),
    random: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    late: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5000 })),
  }),
  { minLength: 30, maxLength: 30 },
)
type Course = typeof course extends fc.Arbitrary<infer T> ? T : never

test('whatever the receiver answers, no attempt starts after the end and no step is shortened', () => {
  fc.assert(
    fc.property(course, (given: Course) => {
      const past = given.map((one) => Object.assign(one, { late: 0 }))
      const tries = attempts((index) => past[index] ?? { lasts: 0, retryAfterMs: null, random: 0, late: 0 })
      const regular = tries.filter(({ isEarly }) => !isEarly)
      assert.ok(regular.length <= RETRY_WAITS_MS.length + 1)
      assert.ok(tries.length <= 2 * RETRY_WAITS_MS.length + 1)
      for (const [index, { at }] of tries.entries()) {
        assert.ok(at < START + SCHEDULE_MS)
        const before = tries[index - 1]
        if (before !== undefined) assert.ok(at >= before.at + 1000)
      }
      for (const [index, stepMs] of RETRY_WAITS_MS.entries()) {
        const [from, to] = [regular[index], regular[index + 1]]
        if (from === undefined || to === undefined) continue
        const lasted = to.at - from.at
        const isMoved = to.at === START + SCHEDULE_MS - 1000
        assert.ok(lasted >= stepMs * 0.9 - 1 || isMoved, `step ${index} lasted ${lasted}`)
        // The attempts themselves take up to 15 s each, and a second lies between two.
        assert.ok(lasted <= stepMs + 2 * 15_000 + 1001)
      }
    }),
  )
})

test('an attempt may begin late without its schedule getting longer', () => {
  fc.assert(
    fc.property(course, (past: Course) => {
      const tries = attempts((index) => past[index] ?? { lasts: 0, retryAfterMs: null, random: 0, late: 0 })
      for (const { at } of tries) assert.ok(at < START + SCHEDULE_MS + 5000)
    }),
  )
})

test('a steady clock never corrects times, and after a clock went back none is later than the longest wait', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
          retryAfterMs: fc.option(fc.nat(90_000)),
        }),
        {
          maxLength: 12,
        },
      ),
      fc.integer({ min: 1, max: 3 * 86_400_000 }),
      (failures, backMs) => {
        let next: NextAttempt = { nextAttemptAt: START, schedule: { startedAt: START, step: 0, stepDueAt: null } }
        let now = START
        for (const failure of failures) {
          now = next.nextAttemptAt
          const after = nextAttempt({ schedule: next.schedule, now, ...failure })
          if (after === null) return
          next = after
          assert.equal(correctedTimes(next, now), null)
        }
        const then = now - backMs
        const { nextAttemptAt, schedule } = correctedTimes(next, then) ?? next
        const longest = isUntried(schedule)
          ? 0
          : RETRY_WAITS_MS[schedule.stepDueAt === null ? schedule.step - 1 : schedule.step]
        assert.ok(nextAttemptAt <= then + (longest ?? 0))
        assert.ok(schedule.startedAt <= then)
        assert.equal(schedule.step, next.schedule.step)
      },
    ),
  )
})
