import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { metadataColumn, USUAL_COLUMNS } from './columns.ts'
import { emptyAmong, withoutEmpty } from './filled-look.ts'

const NOTHING = {
  input_preview: 'a question',
  output_preview: null,
  duration_ms: null,
  token_usage: { input: 0, output: 0, total: 0 },
  cost_usd: null,
  models: [] as string[],
} as TraceRow

test('a column is empty until a row has a value there', () => {
  const columns = ['input', 'duration_ms', 'total_tokens', 'cost_usd', 'models'] as const
  const first = emptyAmong(columns, [NOTHING, { ...NOTHING, duration_ms: 0 }])
  assert.deepEqual(first, ['total_tokens', 'cost_usd', 'models'])
  // A column that was shown stays, whatever rows the list has later.
  assert.deepEqual(emptyAmong(first, [{ ...NOTHING, cost_usd: 0, models: ['gpt-4o'] }]), ['total_tokens'])
})

test('usual columns that are empty are left out, chosen ones are not', () => {
  const shown = (columns: Parameters<typeof withoutEmpty>[0]['columns'], lines: 1 | 2, sort?: 'cost_usd') =>
    withoutEmpty({ columns, lines }, ['output', 'cost_usd', 'models'], sort).columns
  const left = USUAL_COLUMNS.filter((id) => id !== 'cost_usd' && id !== 'models')
  assert.deepEqual(shown(USUAL_COLUMNS, 2), left, 'a second line stays as it is')
  assert.deepEqual(
    shown(USUAL_COLUMNS, 1),
    left.filter((id) => id !== 'output'),
  )
  assert.deepEqual(
    shown(USUAL_COLUMNS, 2, 'cost_usd'),
    USUAL_COLUMNS.filter((id) => id !== 'models'),
  )
  const more = [...USUAL_COLUMNS, 'user_id', metadataColumn('env')] as const
  assert.deepEqual(shown(more, 2), [...left, 'user_id', 'meta:env'])
  const chosen = ['name', 'cost_usd', 'models'] as const
  assert.deepEqual(shown(chosen, 2), chosen)
})
