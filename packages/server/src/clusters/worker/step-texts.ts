import type { TraceId } from '@spoor/contract/ids'
import { parseJson } from '@spoor/payloads/json'
import type { StepRow } from '../../ports/clusters/cluster-traces.ts'
import type { MessageText, StepText } from '@spoor/clustering/text/trace-text'

/**
 * Steps by trace, in their order. Content that violates the contract is ignored: older versions may have accepted it.
 * With a path, a text that is JSON counts with its value there.
 */
export function stepTexts(
  rows: readonly StepRow[],
  path: readonly string[] | null,
): ReadonlyMap<TraceId, readonly StepText[]> {
  const traces = new Map<TraceId, StepText[]>()
  for (const [traceId, name, type, status, body, tools] of rows) {
    const { messages, error } = parse(body)
    const step: StepText = {
      name,
      type,
      failed: status === 'error',
      errorType: textOrNull(fieldOf(error, 'type')),
      errorMessage: textOrNull(fieldOf(error, 'message')),
      tools,
      messages: listOf(messages).flatMap((message) => toMessage(message, path)),
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

function toMessage(value: unknown, path: readonly string[] | null): MessageText[] {
  const role = textOrNull(fieldOf(value, 'role'))
  if (role === null) return []
  const texts = listOf(fieldOf(value, 'content')).flatMap((part) => {
    if (path === null) return textOrNull(fieldOf(part, 'text')) ?? []
    return textAt(fieldOf(part, 'text') ?? fieldOf(part, 'data'), path) ?? []
  })
  return [{ role, texts }]
}

/** The value at the path in a JSON text or value; of a text without it, the text. */
function textAt(value: unknown, path: readonly string[]): string | null {
  const found = path.reduce<unknown>((inner, name) => fieldOf(inner, name), parseJson(value))
  if (found === undefined || found === null) return textOrNull(value)
  return typeof found === 'string' ? found : JSON.stringify(found)
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
