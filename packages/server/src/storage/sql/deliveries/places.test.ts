import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Places } from './places.ts'

test('places grow, and a query of a time range finds all its deliveries', () => {
  const step = fc.integer({ min: -5000, max: 5000 })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 50 }), fc.nat(10_000), (steps, offset) => {
      let [now, last, leadMs] = [1_780_000_000_000, 0, 0]
      const made: { readonly place: number; readonly at: number }[] = []
      for (const by of steps) {
        now += by
        const place = Places.next(last, now)
        assert.ok(place > last && Number.isSafeInteger(place))
        last = place
        leadMs = Math.max(leadMs, Places.leadOf(place, now))
        made.push({ place, at: now })
      }
      const places = new Places(last, leadMs)
      const time = 1_780_000_000_000 - 5000 + offset
      for (const { place, at } of made) {
        if (at >= time) assert.ok(place >= places.from(time))
        if (at < time) assert.ok(place < places.before(time))
      }
    }),
  )
})
