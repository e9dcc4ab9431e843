import type { DeliveryDetail } from '@spoor/contract/schemas/delivery'
import type { Webhook } from '@spoor/contract/schemas/webhook'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronDown, ChevronUp, RotateCw, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { deliveriesKey, deliveryQuery, redeliver } from '../../api/deliveries.ts'
import { useMay } from '../../lib/hooks/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { AttemptTimeline } from './attempt-timeline.tsx'
import { DeliveryFacts } from './delivery-facts.tsx'
import { attemptMessage } from './attempt-message.ts'
import { statusOf } from './delivery-words.ts'
import { JsonText } from './json-text.tsx'

interface DeliveryPanelProps {
  readonly webhook: Webhook
  readonly deliveryId: string
  onClose(): void
  /** Opens the next or previous row of the list. */
  onStep(by: 1 | -1): void
  /** Called after a redelivery. */
  onSent(): void
}

/** Poll intervals for a pending delivery: its first attempt takes milliseconds, later ones wait. */
const REFRESH_MS = { first: 500, later: 2000 }

/** One delivery beside the list, which stays usable. */
export function DeliveryPanel({ webhook, deliveryId, onClose, onStep, onSent }: DeliveryPanelProps) {
  const content = useRef<HTMLDivElement>(null)
  const place = { projectId: webhook.project_id, webhookId: webhook.id }
  const { data, error, refetch } = useQuery({
    ...deliveryQuery(place, deliveryId),
    refetchInterval: ({ state }) => {
      if (state.data?.status !== 'pending') return false
      const isDue = Date.parse(state.data.next_attempt_at ?? '') < Date.now() + 3000
      return isDue ? REFRESH_MS.first : REFRESH_MS.later
    },
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'j') onStep(1)
    else if (event.key === 'k') onStep(-1)
  }
  return (
    <Dialog.Root open modal={false} onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Content
          ref={content}
          aria-describedby={undefined}
          tabIndex={-1}
          onKeyDown={onKeyDown}
          onInteractOutside={(event) => event.preventDefault()}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            content.current?.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            document.querySelector<HTMLElement>(`[data-delivery="${deliveryId}"]`)?.focus({ preventScroll: true })
          }}
          className="bg-ground fixed inset-y-0 right-0 z-40 flex w-full max-w-2xl flex-col overflow-y-auto border-l shadow-xl outline-none"
        >
          <header className="bg-ground sticky top-0 z-10 flex min-h-14 items-center gap-2 border-b px-4 py-2">
            <Dialog.Title className="min-w-0 truncate font-mono text-sm font-semibold">
              {data?.event ?? 'Delivery'}
            </Dialog.Title>
            {data !== undefined && (
              <span className="shrink-0">
                <Badge tone={statusOf(data).tone}>{statusOf(data).word}</Badge>
              </span>
            )}
            <div className="ml-auto flex items-center">
              {data !== undefined && (
                <RedeliverButton key={data.id} webhook={webhook} delivery={data} onSent={onSent} />
              )}
              <Button
                variant="ghost"
                icon
                className="max-sm:hidden"
                aria-label="Previous delivery (k)"
                onClick={() => onStep(-1)}
              >
                <ChevronUp className="size-4" aria-hidden />
              </Button>
              <Button
                variant="ghost"
                icon
                className="max-sm:hidden"
                aria-label="Next delivery (j)"
                onClick={() => onStep(1)}
              >
                <ChevronDown className="size-4" aria-hidden />
              </Button>
              <Dialog.Close asChild>
                <Button variant="ghost" icon aria-label="Close">
                  <X className="size-4" aria-hidden />
                </Button>
              </Dialog.Close>
            </div>
          </header>
          {data !== undefined ? (
            <div key={data.id} className="space-y-6 p-4">
              <DeliveryFacts delivery={data} />
              <AttemptTimeline delivery={data} />
              <JsonText title="Request body" text={data.body} />
            </div>
          ) : error === null ? (
            <SkeletonRows rows={10} />
          ) : (
            <ErrorState error={error} onRetry={refetch} />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface RedeliverButtonProps {
  readonly webhook: Webhook
  readonly delivery: DeliveryDetail
  readonly onSent: () => void
}

function RedeliverButton({ webhook, delivery, onSent }: RedeliverButtonProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const mayManage = useMay('manage')
  const place = { projectId: webhook.project_id, webhookId: webhook.id }
  /** The number of attempts when it was sent, until another one is made. Null if none is awaited. */
  const [sentAfter, setSentAfter] = useState<number | null>(null)
  const isTried = sentAfter !== null && delivery.attempt_count > sentAfter
  const tell = useEffectEvent(() => toast(attemptMessage(delivery, Date.now())))
  useEffect(() => {
    if (!isTried) return
    setSentAfter(null)
    tell()
  }, [isTried])
  const send = useMutation({
    mutationFn: () => redeliver(place, delivery.id),
    onSuccess: (sent) => {
      queryClient.setQueryData<DeliveryDetail>(
        deliveryQuery(place, delivery.id).queryKey,
        (before) => before && { ...before, ...sent },
      )
      void queryClient.invalidateQueries({ queryKey: [...deliveriesKey(place), 'recent'] })
      setSentAfter(sent.attempt_count)
      onSent()
    },
    onError: (error) => toast({ kind: 'fail', text: asApiError(error).message }),
  })
  if (!mayManage) return null
  return (
    <Button className="mr-1" disabled={send.isPending || sentAfter !== null} onClick={() => send.mutate()}>
      <RotateCw className="size-3.5" aria-hidden />{' '}
      {sentAfter !== null ? 'Sending…' : delivery.status === 'pending' ? 'Retry now' : 'Redeliver'}
    </Button>
  )
}
