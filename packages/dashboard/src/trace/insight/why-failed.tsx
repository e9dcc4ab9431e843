import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Split } from 'lucide-react'
import { divergenceQuery } from '../../api/insight.ts'
import { WhyButton } from '../../patterns/why-button.tsx'
import type { TraceHead } from '../reading/trace-head.ts'
import { LINK, Sentence } from './sentence.tsx'

/**
 * Where a failed run first leaves what successes do, in one sentence; nothing where that is not known. And what failed
 * runs of its name have that others have not.
 */
export function WhyFailed({ head: { id: traceId, name } }: { readonly head: TraceHead }) {
  const { data } = useQuery(divergenceQuery(traceId))
  if (data === undefined || data.reason === 'succeeded') return null
  const {
    divergence,
    compared_with: [nearest],
  } = data
  const why = <WhyButton search={{ name, range: 'all' }} shortcut={false} />
  if (divergence === null) return <p className="mt-1.5">{why}</p>
  const { sentence, step_id: step } = divergence
  return (
    <Sentence icon={Split} text={sentence}>
      <Link to="/app/traces/$traceId" params={{ traceId }} search={{ step }} className={LINK}>
        Go to the step
      </Link>
      {nearest !== undefined && (
        <Link to="/app/traces/compare" search={{ left: nearest.id, right: traceId }} className={LINK}>
          Compare with the nearest success
        </Link>
      )}
      {why}
    </Sentence>
  )
}
