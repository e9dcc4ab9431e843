import type { StepId } from '@spoor/contract/ids'
import type { Finding as WireFinding } from '@spoor/contract/schemas/traces/finding'
import type { Finding, ModelUsage } from '../ports/traces/trace-record.ts'
import { toWireCost } from './to-wire.ts'

/** `named`: the steps of a trace by their positions. `costOf`: US dollars. */
export function toFinding(
  { kind, tools, argument, times, at, tokens, usage }: Finding,
  named: ReadonlyMap<number, StepId>,
  costOf: (usage: readonly ModelUsage[]) => number | null,
): WireFinding {
  return {
    kind,
    sentence: sentenceOf(kind, tools, times, argument),
    tools: [...tools],
    times,
    step_ids: at.flatMap((position) => named.get(position) ?? []),
    wasted_tokens: tokens,
    wasted_cost_usd: toWireCost(costOf(usage)),
  }
}

function sentenceOf(kind: Finding['kind'], tools: readonly string[], times: number, argument: string | null): string {
  const quoted = (name: string) => `\`${name.replaceAll('`', "'")}\``
  const called = tools.map(quoted).join(', ')
  switch (kind) {
    case 'repeated_call':
      return `${called} was called ${times} times with the same arguments and the same result.`
    case 'cycle':
      return `Calls of ${called} came in turns ${times} times, each with the same arguments and the same result.`
    case 'no_progress':
      return `The model gave the same answer to the same input ${times} times, while its input grew.`
    case 'value_from_nowhere': {
      const values = times === 1 ? 'a value' : `${times} values`
      return `${called} was called with ${values} of ${quoted((argument ?? '').slice(1))} that no input and no result before in the run has.`
    }
  }
}
