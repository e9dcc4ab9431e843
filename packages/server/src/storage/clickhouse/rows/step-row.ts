import { between, NO_USAGE, totalTokens } from '../../../traces/rules/rollup.ts'
import type { StepHead, StepRecord } from '../../../ports/traces/step-record.ts'
import type { StepUsage } from '../../../ports/traces/trace-record.ts'
import { type NewStep, UNKNOWN_DURATION } from '../../../ports/traces/trace-store.ts'
import type { ByteWriter } from './byte-writer.ts'
import { writeRawJson } from '../engine/raw-json.ts'
import { BETWEEN_TEXTS, cutBody, wholeBody } from './cut-body.ts'
import { PackedRecord, REQUIRED } from './packed-record.ts'
import { plain, type PrintedColumns, rowPrinter } from './row-printer.ts'
import { UNKNOWN_TIME } from './stored-time.ts'

/** Characters of text written in one piece: escaping and encoding them takes less than a millisecond. */
const PIECE_LENGTH = 64 * 1024
/** Characters of two units are not split. */
const PIECES = new RegExp(`.{1,${PIECE_LENGTH / 2}}`, 'gsu')

/** The column `record`: everything that a read of a step returns, except position and body. */
type PackedStep = Omit<StepRecord, 'position' | 'body'>

export const STEP_RECORD = new PackedRecord<PackedStep>({
  id: REQUIRED,
  name: REQUIRED,
  type: REQUIRED,
  model: REQUIRED,
  status: REQUIRED,
  startedAt: REQUIRED,
  endedAt: REQUIRED,
  receivedAt: REQUIRED,
  parentStepId: REQUIRED,
  parentInferred: REQUIRED,
  tokenUsage: new PackedRecord<StepUsage>({
    input: REQUIRED,
    output: REQUIRED,
    cacheRead: REQUIRED,
    cacheWrite: REQUIRED,
    reasoning: REQUIRED,
    more: REQUIRED,
  }),
  idempotencyKey: REQUIRED,
})

export function packedStep({ prepared, ...step }: NewStep): PackedStep {
  return {
    id: step.id,
    name: prepared.name,
    type: prepared.type,
    model: prepared.model,
    status: prepared.status ?? 'ok',
    startedAt: prepared.startedAt,
    endedAt: prepared.endedAt,
    receivedAt: step.receivedAt,
    parentStepId: step.parentStepId,
    parentInferred: step.parentInferred,
    tokenUsage: prepared.tokenUsage ?? NO_USAGE,
    idempotencyKey: prepared.idempotencyKey,
  }
}

/**
 * All columns of the table `steps` (docs/design/formats/stored-rows.md) except `text`, `words` and `body`, which may be
 * long. Whatever the engine filters or sums by has a column of its own beside `record`.
 */
export const STEP_PRINTED = {
  project_id: (step) => plain(step.projectId),
  trace_id: (step) => plain(step.traceId),
  id: (step) => plain(step.id),
  ver: (step) => step.version,
  position: (step) => step.position,
  trace_created_at: (step) => step.traceCreatedAt,
  status: ({ prepared }) => plain(prepared.status ?? 'ok'),
  started_at: ({ prepared }) => prepared.startedAt ?? UNKNOWN_TIME,
  duration_ms: ({ prepared }) => between(prepared.startedAt, prepared.endedAt) ?? UNKNOWN_DURATION,
  time_to_first_token_ms: ({ prepared }) => prepared.firstTokenMs ?? UNKNOWN_DURATION,
  input_tokens: ({ prepared }) => prepared.tokenUsage?.input ?? null,
  output_tokens: ({ prepared }) => prepared.tokenUsage?.output ?? null,
  cache_read_tokens: ({ prepared }) => prepared.tokenUsage?.cacheRead ?? null,
  total_tokens: ({ prepared }) => (prepared.tokenUsage === null ? null : totalTokens(prepared.tokenUsage)),
  usage: ({ usage }) => (usage.length === 0 ? null : JSON.stringify(usage)),
  error_type: ({ prepared }) => textOrNull(prepared.said.errorType),
  tools: ({ prepared }) => listOrNull(prepared.calls.tools),
  arguments: ({ prepared }) => listOrNull(prepared.calls.arguments),
  name: ({ prepared }) => JSON.stringify(prepared.name),
  type: ({ prepared }) => JSON.stringify(prepared.type),
  model: ({ prepared }) => JSON.stringify(prepared.model ?? ''),
  sender: ({ prepared }) => JSON.stringify(prepared.sender),
  body_bytes: ({ prepared }) => prepared.body.length,
  record: (step) => JSON.stringify(STEP_RECORD.toArray(packedStep(step))),
} satisfies PrintedColumns<NewStep>

function textOrNull(text: string | null): string | null {
  return text === null ? null : JSON.stringify(text.toWellFormed())
}

function listOrNull(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : JSON.stringify(texts.map((text) => text.toWellFormed()))
}

const print = rowPrinter<NewStep>(STEP_PRINTED, 'text')

const PRINTED_BETWEEN = JSON.stringify(BETWEEN_TEXTS).slice(1, -1)

/** `withText` false omits what search finds. Yields between the pieces of a long text. */
export function* writeStepRow(out: ByteWriter, step: NewStep, withText: boolean): Generator<void, void> {
  const { otherWords, body } = step.prepared
  const texts = withText ? step.prepared.texts : []
  const printed: string[] = []
  let row = `${print(step)}"`
  for (let at = 0; at < texts.length; at++) {
    if (at > 0) row += PRINTED_BETWEEN
    const text = texts[at]!.toWellFormed()
    for (const [piece] of text.length <= PIECE_LENGTH ? [[text] as const] : text.matchAll(PIECES)) {
      const json = JSON.stringify(piece)
      if (piece.length === text.length) printed[at] = json
      row += json.slice(1, -1)
      if (row.length < PIECE_LENGTH / 2) continue
      out.text(row)
      row = ''
      yield
    }
  }
  row += `","words":${JSON.stringify(withText ? otherWords : '')},"body":`
  const cut = cutBody(body, texts, printed)
  if (cut !== null) return out.text(`${row}${JSON.stringify(cut)}}\n`)
  out.text(row)
  writeRawJson(out, body)
  out.ascii('}\n')
}

/** The columns for `readStepRow`, in its order. */
export const STEP_COLUMNS = 'position, record, text, body'

export function readStepRow([position, record, text, body]: readonly unknown[]): StepRecord {
  return { ...readStepHead([position, record]), body: wholeBody(body as string, text as string) }
}

/** Of the columns `position, record`. */
export function readStepHead([position, record]: readonly unknown[]): StepHead {
  return STEP_RECORD.fromArray(JSON.parse(record as string) as unknown[], { position: position as number })
}
