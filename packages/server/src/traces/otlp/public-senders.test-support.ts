import type { SpanForm } from './otlp-encoding.ts'

export interface Shown {
  /** Name, session, user, status, input and output tokens. */
  readonly trace: readonly [string, string | null, string | null, string, number, number]
  /** What lists show of it: its question and its answer, and its error. */
  readonly said: readonly [string | undefined, string | undefined, string | undefined]
  /** Name, name of the parent, type; then its messages, and its error. */
  readonly steps: Readonly<Record<string, readonly [parent: string | null, type: string, ...said: string[]]>>
  /** By name, with the step that has it. */
  readonly scores?: Readonly<Record<string, string | null>>
}

export interface Sender {
  readonly form: SpanForm
  readonly requests: readonly object[]
  readonly shown: Shown
}

export const T = '3d1f6a52-9c1e-4f0b-8a44-0d4c8b8f1a01'
export const HEX = '3d1f6a529c1e4f0b8a440d4c8b8f1a01'
const RUNS = ['1', '2', '3'].map((digit) => `01a21a21-3072-71dc-9316-87aed2b4c90${digit}`) as [string, string, string]
export const at = (ms: number, zone = 'Z') => `2026-11-26T23:12:20.${String(ms).padStart(3, '0')}000${zone}`
let events = 0
export const event = (type: string, ms: number, body: object) => ({
  id: `event-${(events += 1)}`,
  type,
  timestamp: at(ms),
  metadata: null,
  body,
})
export const batch = (...sent: readonly object[]) => ({
  batch: sent,
  metadata: { batch_size: sent.length, sdk_name: 'python', sdk_version: '2.60.3', public_key: 'any' },
})
export const ASKED = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Is it warm in Bern?' },
]
export const CALL = { id: 'call_7', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }

/** A run of LangSmith: the first is the root of the others. */
export function run(place: number, fields: object): object {
  const [id, root] = [RUNS[place]!, RUNS[0]]
  const order = (of: string) => `20261126T231220000000Z${of}`
  const parent = place === 0 ? {} : { parent_run_id: root }
  const start = 'end_time' in fields && !('name' in fields) ? {} : { start_time: `2026-11-26T23:12:20.00${place}000` }
  const dotted = place === 0 ? order(id) : `${order(root)}.${order(id)}`
  return { id, trace_id: root, dotted_order: dotted, session_name: 'my-agent', ...parent, ...start, ...fields }
}

/** A message as LangChain writes it. */
export function lc(name: string, content: string, more: object = {}): object {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs: { content, ...more } }
}

interface SentSpan {
  readonly id: string
  readonly parent?: string
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

/** An export of OpenTelemetry. */
export function spans(scope: string, sent: readonly SentSpan[]): object {
  const all = sent.map(({ id, parent = '', name, attributes }, place) => ({
    traceId: HEX,
    spanId: id,
    parentSpanId: parent,
    name,
    startTimeUnixNano: `17957347400${place}0000000`,
    endTimeUnixNano: `17957347405${place}0000000`,
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  }))
  return { resourceSpans: [{ scopeSpans: [{ scope: { name: scope }, spans: all }] }] }
}
