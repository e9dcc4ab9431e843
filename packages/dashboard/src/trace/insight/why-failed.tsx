import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Split } from 'lucide-react'
import { divergenceQuery } from '../../api/insight.ts'
import { WhyButton } from '../../patterns/why-button.tsx'
import type { TraceHead } from '../reading/trace-head.ts'
import { LINK, Sentence } from './sentence.tsx'

/** What failed runs of its name have that others have not; nothing while it is not known whether this one failed. */
export function WhyRun({ head: { id, name, status } }: { readonly head: TraceHead }) {
  const { data } = useQuery(divergenceQuery(id))
  const hasError = status === 'error'
  if (!hasError && (data === undefined || data.reason === 'succeeded')) return null
  return <WhyButton search={{ name, range: 'all' }} failureBy={hasError ? 'status' : null} shortcut={false} />
}

/** Where a failed run first leaves what successes do, in one sentence; nothing where that is not known. */
export function WhyFailed({ traceId }: { readonly traceId: string }) {
  const { data } = useQuery(divergenceQuery(traceId))
  const { divergence = null, compared_with: [nearest] = [] } = data ?? {}
  if (divergence === null) return null
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
    </Sentence>
  )
}
