import { Link } from '@tanstack/react-router'
import type { EventSubject } from './event-subject.ts'

const LINK = 'text-accent min-w-0 break-words line-clamp-2 hover:underline'
const PLACES = {
  trace: (traceId: string) => ({ to: '/app/traces/$traceId', params: { traceId } }) as const,
  monitor: (monitorId: string) => ({ to: '/app/monitors/$monitorId', params: { monitorId } }) as const,
  cluster: (clusterId: string) => ({ to: '/app/clusters/$clusterId', params: { clusterId } }) as const,
  metric: (name: string) => ({ to: '/app/metrics/$name', params: { name } }) as const,
}

/** A link to the subject of an event. */
export function SubjectLink({ subject }: { subject: EventSubject }) {
  const { kind, id, name, detail, traceId } = subject
  return (
    <div className="min-w-0">
      <Link {...PLACES[kind](id)} className={LINK} title={name}>
        {kind} <bdi>{name}</bdi>
      </Link>
      {traceId !== null && (
        <Link to="/app/traces/$traceId" params={{ traceId }} className={LINK}>
          of trace <span className="font-mono text-xs">{traceId}</span>
        </Link>
      )}
      {detail !== null && (
        <p className="text-muted line-clamp-3 break-words" title={detail}>
          <bdi>{detail}</bdi>
        </p>
      )}
    </div>
  )
}
