import type { DeliveryDetail } from '@spoor/contract/schemas/delivery'
import type { ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/time.tsx'
import { outcomeOf } from './delivery-words.ts'
import { readEventSubject, type EventSubject } from '../event-subject.ts'

export function DeliveryFacts({ delivery }: { delivery: DeliveryDetail }) {
  const subject = readEventSubject(delivery.body)
  const outcome = outcomeOf(delivery)
  return (
    <div className="space-y-3">
      {outcome !== null && <p className={delivery.status === 'failed' ? 'text-fail' : 'text-muted'}>{outcome}</p>}
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] items-baseline gap-y-1.5 text-sm">
        {subject !== null && (
          <Fact name="Subject">
            <SubjectLink subject={subject} />
          </Fact>
        )}
        <Fact name="Event time">
          <Time at={delivery.created_at} exact />
        </Fact>
        {delivery.finished_at !== null && (
          <Fact name="Finished">
            <Time at={delivery.finished_at} exact />
          </Fact>
        )}
        <Id name="Event" id={delivery.event_id} />
        <Id name="Delivery" id={delivery.id} />
      </dl>
    </div>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

function Id({ name, id }: { name: string; id: string }) {
  return (
    <Fact name={name}>
      <span className="flex items-center gap-1">
        <span className="min-w-0 truncate font-mono text-xs">{id}</span>
        <CopyButton text={id} label={`Copy the id of the ${name.toLowerCase()}`} className="h-6! w-6!" />
      </span>
    </Fact>
  )
}

const LINK = 'text-accent min-w-0 break-words line-clamp-2 hover:underline'
const PLACES = {
  trace: (traceId: string) => ({ to: '/app/traces/$traceId', params: { traceId } }) as const,
  monitor: (monitorId: string) => ({ to: '/app/monitors/$monitorId', params: { monitorId } }) as const,
  cluster: (clusterId: string) => ({ to: '/app/clusters/$clusterId', params: { clusterId } }) as const,
  metric: (name: string) => ({ to: '/app/metrics/$name', params: { name } }) as const,
}

function SubjectLink({ subject }: { subject: EventSubject }) {
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
