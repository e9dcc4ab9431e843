import type { Step } from '@spoor/contract/schemas/traces/step'

/**
 * The text that a search within a trace matches: names, type, model, error, and all text in messages and metadata. In
 * lower case.
 */
export function searchTextOf(step: Step): string {
  const texts = [step.name, step.type, step.model ?? '', step.error?.type ?? '', step.error?.message ?? '']
  collect(step.messages, texts)
  collect(step.metadata, texts)
  return texts.join('\n').toLowerCase()
}

/** The texts of a value without its keys. The service's depth limit bounds the recursion. */
function collect(value: unknown, into: string[]): void {
  if (typeof value === 'string') into.push(value)
  else if (typeof value === 'number') into.push(String(value))
  else if (Array.isArray(value)) for (const each of value) collect(each, into)
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) collect(each, into)
}
