import type { TraceId } from '@spoor/contract/ids'
import type { StepRow } from '../../ports/clusters/cluster-traces.ts'
import type { MessageText, StepText } from '@spoor/clustering/text/trace-text'

/**
 * Steps by trace, in their order. Content that violates the contract is ignored: older versions may have accepted it.
 */
export function stepTexts(rows: readonly StepRow[]): ReadonlyMap<TraceId, readonly StepText[]> {
  const traces = new Map<TraceId, StepText[]>()
  for (const [traceId, name, type, status, body] of rows) {
    const { messages, error } = parse(body)
    const step: StepText = {
      name,
      type,
      failed: status === 'error',
      errorType: textOrNull(fieldOf(error, 'type')),
      messages: listOf(messages).flatMap(toMessage),
    }
    const steps = traces.get(traceId)
    if (steps === undefined) traces.set(traceId, [step])
    else steps.push(step)
  }
  return traces
}

function parse(body: string): { readonly messages: unknown; readonly error: unknown } {
  if (body === '{}') return { messages: [], error: null }
  const value: unknown = JSON.parse(body)
  return { messages: fieldOf(value, 'messages'), error: fieldOf(value, 'error') }
}

function toMessage(value: unknown): MessageText[] {
  const role = textOrNull(fieldOf(value, 'role'))
  if (role === null) return []
  const texts = listOf(fieldOf(value, 'content')).flatMap((part) => textOrNull(fieldOf(part, 'text')) ?? [])
  return [{ role, texts }]
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
