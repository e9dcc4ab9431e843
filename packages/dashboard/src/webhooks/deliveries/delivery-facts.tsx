import type { DeliveryDetail } from '@spoor/contract/schemas/delivery'
import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/time.tsx'
import { outcomeOf } from './delivery-words.ts'
import { readEventSubject } from '../event-subject.ts'
import { SubjectLink } from '../subject-link.tsx'

/** The subject of a delivery, its times and its outcome. */
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
