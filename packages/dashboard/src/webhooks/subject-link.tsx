import { Link } from '@tanstack/react-router'
import type { EventSubject } from './event-subject.ts'

const LINK = 'text-accent min-w-0 break-words line-clamp-2 hover:underline'

/** A link to the subject of an event. */
export function SubjectLink({ subject }: { subject: EventSubject }) {
  const { kind, id, name, detail, traceId } = subject
  return (
    <div className="min-w-0">
      {kind === 'trace' ? (
        <Link to="/app/traces/$traceId" params={{ traceId: id }} className={LINK} title={name}>
          trace <bdi>{name}</bdi>
        </Link>
      ) : kind === 'monitor' ? (
        <Link to="/app/monitors/$monitorId" params={{ monitorId: id }} className={LINK} title={name}>
          monitor <bdi>{name}</bdi>
        </Link>
      ) : kind === 'cluster' ? (
        <Link to="/app/clusters/$clusterId" params={{ clusterId: id }} className={LINK} title={name}>
          cluster <bdi>{name}</bdi>
        </Link>
      ) : (
        <Link to="/app/metrics/$name" params={{ name: id }} className={LINK} title={name}>
          metric <bdi>{name}</bdi>
        </Link>
      )}
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
