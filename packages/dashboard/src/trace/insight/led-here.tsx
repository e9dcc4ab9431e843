import type { ValueOrigins } from '@spoor/contract/schemas/traces/value-origins'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { originsQuery } from '../../api/insight.ts'
import { useMediaQuery } from '../../lib/hooks/use-media-query.ts'
import { Loading, Skeleton } from '../../ui/states.tsx'
import { WIDE } from '../panes.ts'
import { LINK } from './sentence.tsx'

interface LedHereProps {
  readonly traceId: string
  readonly stepId: string
  /** A link to a step. */
  readonly link: (stepId: string) => ReactNode
}

const FROM = { message: 'from a message in', output: 'from', model: 'said by the model in' } as const

/** Where the arguments of a step came from, and the steps that led there. */
export function LedHere({ traceId, stepId, link }: LedHereProps) {
  const query = useQuery(originsQuery(traceId, stepId))
  // On narrow screens, the step would cover the list.
  const shown = useMediaQuery(WIDE) ? { step: stepId } : {}
  if (query.data === undefined) return <Loading query={query} placeholder={<Skeleton className="h-16" />} />
  const { arguments: values, led_here: steps, complete } = query.data
  if (values.length === 0)
    return <p className="text-muted text-sm">This step calls no tool with an argument to search for.</p>
  return (
    <div className="space-y-2 text-sm">
      <ul className="divide-y rounded-lg border">
        {values.map((value, at) => (
          <li key={`${at} ${value.path}`} className="flex flex-wrap gap-x-2 px-3 py-1.5">
            <span className="text-muted min-w-0 truncate">
              {value.tool} {value.path.slice(1)}
            </span>
            <bdi className="min-w-0 font-medium wrap-anywhere">{value.value}</bdi>
            <Source {...value} link={link} />
          </li>
        ))}
      </ul>
      {steps.length > 0 && (
        <>
          <ol className="list-inside list-decimal space-y-1">
            {steps.map((id) => (
              <li key={id}>{link(id)}</li>
            ))}
          </ol>
          <Link to="/app/traces/$traceId" params={{ traceId }} search={{ ...shown, led_to: stepId }} className={LINK}>
            List only these steps
          </Link>
        </>
      )}
      {!complete && <p className="text-muted">The run is too long: only its first part was searched.</p>}
    </div>
  )
}

function Source({ origin, link }: ValueOrigins['arguments'][number] & Pick<LedHereProps, 'link'>) {
  if (origin === null) return <span className="text-warn">not found before this step</span>
  return (
    <span className="text-muted">
      {FROM[origin.kind]} {link(origin.step_id)}
    </span>
  )
}
