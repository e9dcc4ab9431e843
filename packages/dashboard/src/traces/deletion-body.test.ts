import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toDeletionBody } from './deletion-body.ts'
import { feedSearch } from './filters/search.ts'

test('a deletion has the filters of the list, without its order and look', () => {
  const search = feedSearch({
    q: 'refund',
    model: ['a', 'b'],
    flagged: false,
    meta: [['exists'], ['env', 'prod']],
    argument: { city: 'Bern' },
    sort: 'duration_ms',
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-02-01T00:00:00.000Z',
  })
  assert.deepEqual(toDeletionBody(search), {
    q: 'refund',
    model: ['a', 'b'],
    flagged: false,
    argument: { city: 'Bern' },
    meta_key: ['env', 'exists'],
    meta_value: ['prod'],
    start_time: '2026-01-01T00:00:00.000Z',
    end_time: '2026-02-01T00:00:00.000Z',
  })
})
