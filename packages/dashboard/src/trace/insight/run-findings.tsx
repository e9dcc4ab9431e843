import { Link } from '@tanstack/react-router'
import { Repeat, Unlink } from 'lucide-react'
import { formatCompact, formatCost } from '../../lib/format-number.ts'
import { LINK, Sentence } from './sentence.tsx'
import type { TraceHead } from '../reading/trace-head.ts'

/** What a run did again and again, and values that it made up, in one sentence each. */
export function RunFindings({ head: { id, findings } }: { readonly head: TraceHead }) {
  const [first, second, ...rest] = findings.map(
    ({ kind, sentence, step_ids: [step], wasted_tokens: tokens, wasted_cost_usd: cost }, at) => (
      <Sentence key={at} icon={kind === 'value_from_nowhere' ? Unlink : Repeat} text={sentence}>
        {step !== undefined && (
          <Link to="/app/traces/$traceId" params={{ traceId: id }} search={{ step }} className={LINK}>
            Go to the first step
          </Link>
        )}
        {tokens > 0 && (
          <span className="text-muted flex min-h-6 items-center">
            {formatCompact(tokens)} tokens wasted{cost === null ? '' : ` (${formatCost(cost)})`}
          </span>
        )}
      </Sentence>
    ),
  )
  return (
    <>
      {first}
      {second}
      {rest.length > 0 && (
        <details className="text-sm">
          <summary className="text-muted min-h-6 cursor-pointer">{rest.length} more</summary>
          {rest}
        </details>
      )}
    </>
  )
}
