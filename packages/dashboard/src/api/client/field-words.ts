import type { FieldProblem } from '@spoor/contract/schemas/problem'

/** What to enter, by the last name of a pointer. */
const NAMES: Readonly<Record<string, string>> = { name: 'a name', label: 'a name', url: 'a URL', model: 'a model' }

/**
 * The problem of a field, in the words of a form: what to enter, instead of which rule of the API is broken. Other
 * problems keep the words of the service.
 */
export function fieldWords({ pointer, code, detail }: FieldProblem): string {
  const bound = /^It must be (>=|<=|>|<) (\S+)\.$/.exec(detail)
  if (bound !== null) return `Enter ${BOUNDS[bound[1] ?? '']} ${bound[2]}.`
  const decided = /^`\w+` (never|always) holds: (.*)$/.exec(detail)
  if (decided !== null) return `It would ${decided[1]} fire: ${decided[2]}`
  if (code === 'too_short' && detail.includes('empty')) {
    return `Enter ${NAMES[pointer.split('/').at(-1) ?? ''] ?? 'a value'}.`
  }
  if (code === 'wrong_type' && /^It must be (a number|an integer)\b/.test(detail)) {
    return detail.startsWith('It must be a number') ? 'Enter a number.' : 'Enter a whole number.'
  }
  return detail
}

const BOUNDS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
}
