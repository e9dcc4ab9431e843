import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metadataColumn, metricColumn, USUAL_COLUMNS } from './columns.ts'
import { lookSearch, shownLook, storeLook, toLookSearch } from './list-look.ts'

function storage(stored: string | null) {
  const kept = { text: stored }
  return { getItem: () => kept.text, setItem: (_key: string, text: string) => (kept.text = text) }
}

test('the look is in the URL, also with keys of metadata that need an escape', () => {
  const key = 'a,b: c%é/🜁'
  const look = { columns: ['status', 'name', metricColumn(key), metadataColumn(key), 'metadata'], lines: 1 } as const
  const search = toLookSearch(look)
  assert.match(search.columns, /^status,name,metric:a%2Cb.+,meta:a%2Cb/)
  assert.deepEqual(shownLook(lookSearch({ ...search }), storage(null)), look)
})

test('what the URL does not say is as it was chosen last, else as usual', () => {
  const kept = storage(null)
  assert.deepEqual(shownLook({}, kept), { columns: USUAL_COLUMNS, lines: 2 })
  assert.equal(shownLook({}, kept, true).lines, 1, 'in a wide window')
  storeLook(kept, { columns: ['name', 'user_id'], lines: 1 })
  assert.deepEqual(shownLook({}, kept), { columns: ['name', 'user_id'], lines: 1 })
  assert.deepEqual(shownLook({ lines: 2 }, kept, true), { columns: ['name', 'user_id'], lines: 2 })
  assert.deepEqual(shownLook({ columns: 'status' }, kept), { columns: ['status', 'name'], lines: 1 })
})

test('invalid values are ignored; columns are in table order and each once', () => {
  assert.deepEqual(lookSearch({ columns: ['name'], lines: 3 }), {})
  assert.deepEqual(lookSearch({ columns: '', lines: '2' }), {})
  const { columns } = shownLook(
    { columns: 'flagged,meta:b,meta:a,meta:b,nothing,meta:%E0%A4%A,meta:,metric:,metric:m,metric:m,status,status' },
    storage(null),
  )
  assert.deepEqual(columns, ['status', 'name', 'metric:m', 'meta:b', 'meta:a', 'flagged'])
  const many = Array.from({ length: 40 }, (_, n) => `meta:${n}`).join()
  assert.equal(shownLook({ columns: many }, storage(null)).columns.length, 13)
  for (const nonsense of ['{', '7', '[]', '{"columns":7}']) {
    assert.deepEqual(shownLook({}, storage(nonsense)), { columns: USUAL_COLUMNS, lines: 2 })
  }
})
