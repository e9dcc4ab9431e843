import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyIsBehind } from './monitor-words.ts'

const EARLY = '2026-01-01T00:00:00.000Z'
const LATE = '2026-01-01T00:01:00.000Z'

test('a history without the latest firing is behind', () => {
  assert.equal(historyIsBehind({ state: 'fired', state_since: LATE }, []), true)
  assert.equal(historyIsBehind({ state: 'fired', state_since: LATE }, [{ to: 'fired', group: null, at: LATE }]), false)
  assert.equal(historyIsBehind({ state: 'fired', state_since: LATE }, [{ to: 'normal', group: null, at: EARLY }]), true)
  assert.equal(historyIsBehind({ state: 'normal', state_since: LATE }, [{ to: 'fired', group: null, at: EARLY }]), true)
})

test('a history that is as new as the monitor is not behind', () => {
  assert.equal(historyIsBehind({ state: 'normal', state_since: EARLY }, []), false)
  assert.equal(
    historyIsBehind({ state: 'normal', state_since: EARLY }, [{ to: 'fired', group: null, at: LATE }]),
    false,
  )
})
