import type { FailurePattern, FailurePatterns } from '@spoor/contract/schemas/traces/failure-patterns'
import type { FoundPattern, FoundPatterns } from '../traces/insight/find-patterns.ts'

export function toFailurePatterns(found: FoundPatterns, failure_by: string, limit: number): FailurePatterns {
  const { failed, succeeded, complete } = found
  const patterns = found.patterns.slice(0, limit).map((pattern): FailurePattern => {
    const { kind, name, value } = pattern
    return {
      kind,
      name,
      value,
      what: `${featureOf(pattern)}: ${pattern.failed} of ${failed} failed runs and ${pattern.succeeded} of ${succeeded} others.`,
      failed: { with: pattern.failed, of: failed },
      ok: { with: pattern.succeeded, of: succeeded },
      effect: pattern.failed / failed - pattern.succeeded / succeeded,
      q_value: pattern.qValue,
      example_trace_ids: [...pattern.examples[pattern.moreIn]],
      filters: filtersOf(pattern),
    }
  })
  return { patterns, failure_by, failed, ok: succeeded, complete }
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
    case 'steps':
      return { min_step_count: String(value) }
    case 'metadata':
      return { meta_key: name, meta_value: String(value) }
    case 'tool_pair':
      return null
  }
}
