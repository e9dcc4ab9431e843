import { isFields, isList } from '@spoor/payloads/json'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import type { Span, SpanPart, Value } from './wire/span.ts'

/** The key of a step's metadata that says what is known of an object which is sent in parts. */
export const SPAN_PART = 'spoor.part'

/** What no part has said yet, although the step has a value. */
type Lack = SpanPart['lacks'][number] | 'status'

interface StoredPart {
  readonly at: number
  /** How many of the messages are inputs. */
  readonly inputs: number
  /** Of a step that runs: the answer may name it better, and a trace keeps the models that its steps have had. */
  readonly model: string | null
  readonly lacks: readonly Lack[]
}

export function isRunning({ part, endNs }: Pick<Span, 'part' | 'endNs'>): boolean {
  return part !== undefined && endNs === 0n
}

/** Of a span that is a part. */
export function storedPart(
  span: Pick<Span, 'part' | 'endNs'>,
  { inputs, status, model }: Pick<StoredPart, 'inputs' | 'model'> & Pick<PreparedStep, 'status'>,
): Value {
  const { at, lacks } = span.part!
  const all: readonly Lack[] = status === null ? [...lacks, 'status'] : lacks
  return printPart({ at, inputs, model: isRunning(span) ? model : null, lacks: all })
}

export function printPart({ at, inputs, model, lacks }: StoredPart): Value {
  return { at, inputs, ...(model === null ? {} : { model }), ...(lacks.length === 0 ? {} : { lacks }) }
}

/** What came without parts lacks nothing, and every part is later. */
export function readPart(value: unknown): StoredPart {
  const { at, inputs, model, lacks } = isFields(value) ? value : {}
  return {
    at: typeof at === 'number' ? at : -Infinity,
    inputs: typeof inputs === 'number' ? inputs : 0,
    model: typeof model === 'string' ? model : null,
    lacks: isList(lacks) ? (lacks as readonly Lack[]) : [],
  }
}
