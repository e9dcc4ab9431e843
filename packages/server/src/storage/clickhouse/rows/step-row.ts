import type { StepId } from '@spoor/contract/ids'
import type { StepRecord } from '../../../ports/traces/step-record.ts'
import type { NewStep } from '../../../ports/traces/trace-store.ts'
import { TEXT_RULES } from '../../../traces/intake/search-text.ts'
import type { ByteWriter } from './byte-writer.ts'
import { writeRawJson } from '../engine/raw-json.ts'
import { recordReader, textOrNull } from './record-reader.ts'
import { plain, type PrintedColumns, rowPrinter } from './row-printer.ts'
import { NO_TIME, toTime } from './stored-time.ts'

/** Characters of text written in one piece: escaping and encoding them takes less than a millisecond. */
const PIECE_LENGTH = 64 * 1024

/** The table `steps` (docs/design/formats/stored-rows.md): all columns but the last two, `text` and `body`, which may be long. */
export const STEP_PRINTED = {
  project_id: (step) => plain(step.projectId),
  trace_id: (step) => plain(step.traceId),
  id: (step) => plain(step.id),
  ver: (step) => step.version,
  position: (step) => step.position,
  trace_created_at: (step) => step.traceCreatedAt,
  received_at: (step) => step.receivedAt,
  parent_step_id: (step) => plain(step.parentStepId ?? ''),
  parent_inferred: (step) => (step.parentInferred ? 1 : 0),
  status: ({ prepared }) => plain(prepared.status ?? 'ok'),
  started_at: ({ prepared }) => prepared.startedAt ?? NO_TIME,
  ended_at: ({ prepared }) => prepared.endedAt ?? NO_TIME,
  input_tokens: ({ prepared }) => prepared.tokenUsage?.input ?? null,
  output_tokens: ({ prepared }) => prepared.tokenUsage?.output ?? null,
  cache_read_tokens: ({ prepared }) => prepared.tokenUsage?.cacheRead ?? null,
  cache_write_tokens: ({ prepared }) => prepared.tokenUsage?.cacheWrite ?? null,
  reasoning_tokens: ({ prepared }) => prepared.tokenUsage?.reasoning ?? null,
  name: ({ prepared }) => JSON.stringify(prepared.name),
  type: ({ prepared }) => JSON.stringify(prepared.type),
  model: ({ prepared }) => JSON.stringify(prepared.model ?? ''),
  idempotency_key: ({ prepared }) => JSON.stringify(prepared.idempotencyKey ?? ''),
  text_rules: () => TEXT_RULES,
  body_bytes: ({ prepared }) => prepared.body.length,
} satisfies PrintedColumns<NewStep>

const print = rowPrinter<NewStep>(STEP_PRINTED, 'text')

/** `withText` false leaves the words out that full-text search would find. Yields between the pieces of a long text. */
export function* writeStepRow(out: ByteWriter, step: NewStep, withText: boolean): Generator<void, void> {
  const { searchText, body } = step.prepared
  out.text(`${print(step)}"`)
  if (withText) yield* writeText(out, searchText)
  out.ascii(`","body":`)
  writeRawJson(out, body)
  out.ascii('}\n')
}

/** The inside of a JSON string. */
function* writeText(out: ByteWriter, text: string): Generator<void, void> {
  for (let start = 0; start < text.length;) {
    const end = isHighSurrogate(text.charCodeAt(start + PIECE_LENGTH - 1)) ? PIECE_LENGTH - 1 : PIECE_LENGTH
    out.text(JSON.stringify(text.slice(start, start + end)).slice(1, -1))
    start += end
    if (start < text.length) yield
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

const reader = recordReader<StepRecord>({
  id: 'id',
  position: 'position',
  name: 'name',
  type: 'type',
  model: { column: 'model', from: textOrNull },
  status: 'status',
  startedAt: { column: 'started_at', from: toTime },
  endedAt: { column: 'ended_at', from: toTime },
  receivedAt: 'received_at',
  parentStepId: { column: 'parent_step_id', from: textOrNull<StepId> },
  parentInferred: { column: 'parent_inferred', from: (stored: 0 | 1) => stored === 1 },
  tokenUsage: {
    fields: {
      input: 'input_tokens',
      output: 'output_tokens',
      cacheRead: 'cache_read_tokens',
      cacheWrite: 'cache_write_tokens',
      reasoning: 'reasoning_tokens',
    },
  },
  idempotencyKey: { column: 'idempotency_key', from: textOrNull },
  body: 'body',
})

export const { columns: STEP_COLUMNS, read: readStepRow } = reader
