import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { formatCount, formatValue } from '../../lib/format-number.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import type { TraceSource } from '../reading/trace-source.ts'
import { useRemoveScore } from '../scoring/use-remove-score.ts'

interface MetricEventListProps {
  /** Null where scores are only read. */
  readonly source: TraceSource | null
  readonly events: readonly MetricEvent[]
  /** The name of a step, for links from its events. */
  readonly stepName?: (stepId: string) => string | undefined
  onStep?(stepId: string): void
}

const FIRST = 30

export function MetricEventList({ source, events, stepName, onStep }: MetricEventListProps) {
  const removalOf = useRemoveScore(source)
  const [shown, setShown] = useState(FIRST)
  return (
    <>
      <ul className="divide-y rounded-lg border">
        {events.slice(0, shown).map((event) => (
          <li key={event.id} className="space-y-0.5 px-3 py-2">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <Link
                to="/app/metrics/$name"
                params={{ name: event.name }}
                className="hover:text-accent min-w-0 truncate font-medium hover:underline"
                title={event.name}
              >
                <bdi>{event.name}</bdi>
              </Link>
              <EventValue event={event} />
              <span className="text-muted ml-auto text-xs">
                {event.source ?? 'no source'} · <Time at={event.at} />
              </span>
              <RemoveScore name={event.name} remove={removalOf(event)} />
            </div>
            {event.comment !== null && (
              <p className="text-muted text-sm wrap-anywhere whitespace-pre-wrap">{event.comment}</p>
            )}
            {event.step_id !== null && onStep !== undefined && (
              <button
                type="button"
                className="text-accent block max-w-full truncate text-xs underline"
                onClick={() => onStep(event.step_id as string)}
              >
                Step: <bdi>{stepName?.(event.step_id) ?? event.step_id}</bdi>
              </button>
            )}
          </li>
        ))}
      </ul>
      {events.length > shown && (
        <Button className="mt-2" onClick={() => setShown(shown + 100)}>
          Show more of {formatCount(events.length)}
        </Button>
      )}
    </>
  )
}

function RemoveScore({ name, remove }: { readonly name: string; readonly remove: (() => void) | null }) {
  if (remove === null) return null
  const label = `Remove the score ${name}`
  return <Button icon={X} variant="ghost" aria-label={label} title={label} onClick={remove} />
}

function EventValue({ event: { passed, value } }: { event: MetricEvent }) {
  if (passed !== null) return <Badge tone={passed ? 'ok' : 'fail'}>{passed ? 'passed' : 'failed'}</Badge>
  if (typeof value === 'number') return <span className="tabular-nums">{formatValue(value)}</span>
  return <Badge>{value}</Badge>
}
