import type { FailurePattern, FailurePatterns } from '@spoor/contract/schemas/traces/failure-patterns'
import type { FoundPattern, FoundPatterns } from '../traces/insight/find-patterns.ts'

export function toFailurePatterns(found: FoundPatterns, failure_by: string, limit: number): FailurePatterns {
  const { failed, succeeded, complete } = found
  const patterns = found.patterns.slice(0, limit).map((pattern): FailurePattern => {
    const { kind, name, value, moreIn: more_in, qValue: q_value } = pattern
    const sides = {
      failed: { count: pattern.failed, of: failed },
      succeeded: { count: pattern.succeeded, of: succeeded },
    }
    const sentence = `${featureOf(pattern)}: ${pattern.failed} of ${failed} failed runs and ${pattern.succeeded} of ${succeeded} others.`
    return Object.assign(sides, { kind, name, value, more_in, q_value, sentence, filters: filtersOf(pattern) })
  })
  return { patterns, failure_by, failed, succeeded, complete }
}

type Feature = Pick<FoundPattern, 'kind' | 'name' | 'value'>

function featureOf({ kind, name, value }: Feature): string {
  switch (kind) {
    case 'error_type':
      return `Errors of type \`${name}\``
    case 'failed_tool':
      return `\`${name}\` failed`
    case 'tool':
      return `\`${name}\` was called`
    case 'tool_pair':
      return `\`${name}\` and then \`${value}\` were called`
    case 'argument':
      return `A call had \`${name}\` = \`${value}\``
    case 'finding':
      return `\`${name}\` was found`
    case 'model':
      return `The model \`${name}\``
    case 'metadata':
      return `\`${name}\` is \`${value}\``
    case 'steps':
      return `At least ${value} steps`
  }
}

/** Parameters of the list of traces. */
function filtersOf({ kind, name, value }: Feature): Record<string, string> | null {
  switch (kind) {
    case 'error_type':
    case 'finding':
    case 'tool':
    case 'model':
      return { [kind]: name }
    case 'failed_tool':
      return { tool: name, step_status: 'error' }
    case 'argument':
      return { [`argument.${name}`]: String(value) }
    case 'metadata':
      return { meta_key: name, meta_value: String(value) }
    default:
      return null
  }
}
