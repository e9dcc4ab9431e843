import type { Webhook } from '@spoor/contract/schemas/webhook'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { deliveriesKey, listDeliveries, redeliverFailed } from '../../api/deliveries.ts'
import { parseLocalTime, printLocalTime } from '../../lib/local-time.ts'
import { useMay } from '../../lib/hooks/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { LocalTimeInput, NO_LOCAL_TIME } from '../../ui/local-time-input.tsx'
import { FormEnd, FormModal } from '../../ui/form.tsx'

const HOUR = 3_600_000
const PRESETS = [
  { label: 'Last hour', ms: HOUR },
  { label: 'Last 24 hours', ms: 24 * HOUR },
  { label: 'Last 7 days', ms: 168 * HOUR },
] as const

/** At most this many are counted beforehand. */
const MAX = 1000

export function RedeliverFailed({ webhook, onSent }: { webhook: Webhook; onSent: () => void }) {
  const [open, setOpen] = useState(false)
  if (!useMay('manage')) return null
  return (
    <>
      <Button icon={RotateCw} className="ml-auto" onClick={() => setOpen(true)}>
        Redeliver failed…
      </Button>
      {open && <RedeliverForm webhook={webhook} onClose={() => setOpen(false)} onSent={onSent} />}
    </>
  )
}

function RedeliverForm({ webhook, onClose, onSent }: { webhook: Webhook; onClose(): void; onSent(): void }) {
  const [local, setLocal] = useState(() => printLocalTime(Date.now() - 24 * HOUR))
  const time = parseLocalTime(local)
  const since = Number.isNaN(time) ? null : new Date(time).toISOString()
  const { data: count } = useQuery({
    queryKey: [...deliveriesKey(webhook), 'failed since', since],
    enabled: since !== null,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { status: 'failed', start_time: since ?? '', limit: MAX } as const
      const { deliveries, next_cursor } = await listDeliveries(webhook, query, signal)
      return { least: deliveries.length, isMore: next_cursor !== null }
    },
  })
  return (
    <FormModal
      title="Redeliver failed deliveries"
      description="Each one is sent now with a new retry schedule: the same body under the same webhook-id."
      send={() => redeliverFailed(webhook, since ?? '')}
      onClose={onClose}
      onSuccess={onSent}
      refresh={[[...deliveriesKey(webhook), 'recent']]}
      said={(sent) => `${sent.count === 1 ? '1 delivery' : `${sent.count} deliveries`} queued`}
    >
      <div className="flex flex-wrap gap-1">
        {PRESETS.map(({ label, ms }) => (
          <Button key={label} onClick={() => setLocal(printLocalTime(Date.now() - ms))}>
            {label}
          </Button>
        ))}
      </div>
      <Field label="Created since" at="/since" error={since === null ? NO_LOCAL_TIME : undefined}>
        <LocalTimeInput required value={local} onText={setLocal} />
      </Field>
      <p role="status" className="text-muted min-h-5">
        {count === undefined || since === null
          ? ''
          : count.least === 0
            ? 'No failed deliveries since then.'
            : `${count.isMore ? `${MAX} or more` : count.least} failed since then.`}
      </p>
      {!webhook.enabled && <p className="text-warn">The webhook is disabled. Enable it to redeliver.</p>}
      <FormEnd submit="Redeliver" disabled={since === null || count?.least === 0 || !webhook.enabled} />
    </FormModal>
  )
}
