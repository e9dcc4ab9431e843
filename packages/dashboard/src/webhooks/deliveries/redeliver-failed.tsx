import type { Webhook } from '@spoor/contract/schemas/webhook'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { deliveriesKey, listDeliveries, redeliverFailed } from '../../api/deliveries.ts'
import { parseLocalTime, printLocalTime } from '../../lib/local-time.ts'
import { useMay } from '../../lib/hooks/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { LocalTimeInput, NO_LOCAL_TIME } from '../../ui/local-time-input.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Modal } from '../../ui/modal.tsx'
import { useToast } from '../../ui/toasts.tsx'

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
      <Button className="ml-auto" onClick={() => setOpen(true)}>
        <RotateCw className="size-3.5" aria-hidden /> Redeliver failed…
      </Button>
      <Modal
        title="Redeliver failed deliveries"
        description="Each one is sent now with a new retry schedule: the same body under the same webhook-id."
        open={open}
        onOpenChange={setOpen}
      >
        <RedeliverForm
          webhook={webhook}
          onDone={() => {
            setOpen(false)
            onSent()
          }}
        />
      </Modal>
    </>
  )
}

function RedeliverForm({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const place = { projectId: webhook.project_id, webhookId: webhook.id }
  const [local, setLocal] = useState(() => printLocalTime(Date.now() - 24 * HOUR))
  const time = parseLocalTime(local)
  const since = Number.isNaN(time) ? null : new Date(time).toISOString()
  const { data: count } = useQuery({
    queryKey: [...deliveriesKey(place), 'failed since', since],
    enabled: since !== null,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { status: 'failed', start_time: since ?? '', limit: MAX } as const
      const { deliveries, next_cursor } = await listDeliveries(place, query, signal)
      return { least: deliveries.length, isMore: next_cursor !== null }
    },
  })
  const send = useMutation({
    mutationFn: (from: string) => redeliverFailed(place, from),
    onSuccess: (sent) => {
      void queryClient.invalidateQueries({ queryKey: [...deliveriesKey(place), 'recent'] })
      toast({ kind: 'ok', text: `${sent.count === 1 ? '1 delivery' : `${sent.count} deliveries`} queued` })
      onDone()
    },
  })
  const problem = send.error === null ? null : asApiError(send.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (since !== null) send.mutate(since)
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <div className="flex flex-wrap gap-1">
        {PRESETS.map(({ label, ms }) => (
          <Button key={label} onClick={() => setLocal(printLocalTime(Date.now() - ms))}>
            {label}
          </Button>
        ))}
      </div>
      <Field label="Created since" error={since === null ? NO_LOCAL_TIME : problem?.of('/since')}>
        {(props) => <LocalTimeInput {...props} required value={local} onText={setLocal} />}
      </Field>
      <p role="status" className="text-muted min-h-5">
        {count === undefined || since === null
          ? ''
          : count.least === 0
            ? 'No failed deliveries since then.'
            : `${count.isMore ? `${MAX} or more` : count.least} failed since then.`}
      </p>
      {!webhook.enabled && <p className="text-warn">The webhook is disabled. Enable it to redeliver.</p>}
      <FormError problem={problem} fields={['/since']} />
      <div className="flex justify-end">
        <Button
          type="submit"
          variant="primary"
          disabled={send.isPending || since === null || count?.least === 0 || !webhook.enabled}
        >
          {send.isPending ? 'Sending…' : 'Redeliver'}
        </Button>
      </div>
    </form>
  )
}
