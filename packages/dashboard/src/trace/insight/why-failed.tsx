import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Split } from 'lucide-react'
import { divergenceQuery } from '../../api/insight.ts'

/** Where a failed run first leaves what successes do, in one sentence; nothing where that is not known. */
export function WhyFailed({ traceId }: { readonly traceId: string }) {
  const { data } = useQuery(divergenceQuery(traceId))
  const { divergence = null, compared_with: [nearest] = [] } = data ?? {}
  if (divergence === null) return null
  const { sentence, step_id: step } = divergence
  return (
    <div className="mt-1.5 flex items-start gap-2 text-sm">
      <Split className="text-fail mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0">
        <p className="line-clamp-4 wrap-anywhere sm:line-clamp-2" title={sentence}>
          {sentence.split('`').map((text, at) => (at % 2 === 0 ? text : <code key={at}>{text}</code>))}
        </p>
        <p className="flex flex-wrap gap-x-3">
          <Link to="/app/traces/$traceId" params={{ traceId }} search={{ step }} className={LINK}>
            Go to the step
          </Link>
          {nearest !== undefined && (
            <Link to="/app/traces/compare" search={{ left: nearest.id, right: traceId }} className={LINK}>
              Compare with the nearest success
            </Link>
          )}
        </p>
      </div>
    </div>
  )
}

const LINK = 'text-accent flex min-h-6 items-center underline'
