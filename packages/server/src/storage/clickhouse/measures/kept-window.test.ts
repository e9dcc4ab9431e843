import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { KeptWindow } from './kept-window.ts'

test('groups that have left are forgotten in a window that has a long bucket at every other move', () => {
  const source = { kind: 'traces', measure: 'count' } as const
  const filters = { ...toTraceFilters('monitors', {}), metadata: [], source: null }
  const question = { source, filters, aggregation: 'count', option: null, forEach: 'user_id' } as const
  const window = new KeptWindow(question, { shortMs: 1, longMs: 2 })
  const usersOf = (bucket: number) => (bucket < 8 ? Array.from({ length: 700 }, (_, n) => `${bucket} ${n}`) : ['last'])
  for (let until = 4; until < 20; until++) {
    window.move(until - 4, until)
    for (const place of window.missing) {
      const [first, end] = [place.bucket * place.sizeMs, (place.bucket + 1) * place.sizeMs]
      const users = Array.from({ length: end - first }, (_, at) => usersOf(first + at)).flat()
      window.put(place, new Map(users.map((user) => [user, [users.filter((one) => one === user).length]])))
    }
    const samples = [0, 1, 2, 3].reduce((sum, at) => sum + usersOf(until - 4 + at).length, 0)
    const { samples: counted, groups } = window.result('count')
    assert.equal(counted, samples, `until ${until}`)
    if (until >= 12) assert.deepEqual(groups, [{ value: 4, samples: 4, group: 'last' }])
  }
})
