import { type Fields, isFields, parseJson } from '@spoor/payloads/json'
import { BadRow, textOf, toTime } from './row-values.ts'

/** Of the run data format: what a sender records. The others are sums and places of LangSmith's own. */
const RECORDED = [
  'id',
  'trace_id',
  'dotted_order',
  'parent_run_id',
  'name',
  'run_type',
  'inputs',
  'outputs',
  'tags',
  'error',
  'session_name',
  'extra',
  'events',
] as const

/** A run of an export of LangSmith as a request to its run API. Throws BadRow. */
export function langsmithRuns(row: Fields): { readonly post: readonly Fields[] } {
  if (textOf(row, 'run_id') !== null) throw new BadRow('A row with a `run_id` is feedback: feedback is not imported.')
  const id = textOf(row, 'id')
  if (id === null) throw new BadRow('A run of LangSmith needs an `id`.')
  const run = Object.fromEntries(
    RECORDED.flatMap((name) => {
      const value = parseJson(row[name])
      return value === undefined || value === null || value === '' ? [] : [[name, value]]
    }),
  )
  const times = { start_time: toTime(row['start_time']), end_time: toTime(row['end_time']) }
  return { post: [{ ...run, ...times, ...usageOf(row, run) }] }
}

/** Exports count the tokens of a run in columns, also where its outputs do not say them. */
function usageOf(row: Fields, { extra, outputs }: Fields): Fields {
  const [input, output] = [Number(row['prompt_tokens'] ?? 0), Number(row['completion_tokens'] ?? 0)]
  const isSaid = JSON.stringify([extra ?? null, outputs ?? null]).includes('usage_metadata')
  if (row['run_type'] !== 'llm' || isSaid || !(input + output > 0)) return {}
  const fields = isFields(extra) ? extra : {}
  const metadata = isFields(fields['metadata']) ? fields['metadata'] : {}
  const usage_metadata = { input_tokens: input, output_tokens: output, total_tokens: input + output }
  return { extra: { ...fields, metadata: { ...metadata, usage_metadata } } }
}
