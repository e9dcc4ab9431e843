import type { DeliveryDetail } from '@spoor/contract/schemas/delivery'
import type { Webhook } from '@spoor/contract/schemas/webhook'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronDown, ChevronUp, RotateCw, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { deliveriesKey, deliveryQuery, redeliver } from '../../api/deliveries.ts'
import { useMay } from '../../lib/hooks/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Loading } from '../../ui/states.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'
import { AttemptTimeline } from './attempt-timeline.tsx'
import { DeliveryFacts } from './delivery-facts.tsx'
import { attemptMessage, statusOf } from './delivery-words.ts'
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
  const query = useQuery({
    ...deliveryQuery(webhook, deliveryId),
    refetchInterval: ({ state }) => {
      if (state.data?.status !== 'pending') return false
      const isDue = Date.parse(state.data.next_attempt_at ?? '') < Date.now() + 3000
      return isDue ? REFRESH_MS.first : REFRESH_MS.later
    },
  })
  const { data } = query
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
            document.querySelector<HTMLElement>(`[data-row="${deliveryId}"]`)?.focus({ preventScroll: true })
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
              <IconButton
                icon={ChevronUp}
                className="max-sm:hidden"
                label="Previous delivery"
                keys="k"
                onClick={() => onStep(-1)}
              />
              <IconButton
                icon={ChevronDown}
                className="max-sm:hidden"
                label="Next delivery"
                keys="j"
                onClick={() => onStep(1)}
              />
              <Dialog.Close asChild>
                <IconButton icon={X} label="Close" />
              </Dialog.Close>
            </div>
          </header>
          {data !== undefined ? (
            <div key={data.id} className="space-y-6 p-4">
              <DeliveryFacts delivery={data} />
              <AttemptTimeline delivery={data} />
              <JsonText title="Request body" text={data.body} />
            </div>
          ) : (
            <Loading query={query} rows={10} />
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
  /** The number of attempts when it was sent, until another one is made. Null if none is awaited. */
  const [sentAfter, setSentAfter] = useState<number | null>(null)
  const isTried = sentAfter !== null && delivery.attempt_count > sentAfter
  const tell = useEffectEvent(() => toast(attemptMessage(delivery, Date.now())))
  useEffect(() => {
    if (!isTried) return
    setSentAfter(null)
    tell()
  }, [isTried])
  const send = useAction(() => redeliver(webhook, delivery.id), {
    onSuccess: (sent) => {
      queryClient.setQueryData<DeliveryDetail>(
        deliveryQuery(webhook, delivery.id).queryKey,
        (before) => before && { ...before, ...sent },
      )
      setSentAfter(sent.attempt_count)
      onSent()
    },
    refresh: [[...deliveriesKey(webhook), 'recent']],
  })
  if (!mayManage) return null
  return (
    <Button
      icon={RotateCw}
      className="mr-1"
      disabled={send.isPending || sentAfter !== null}
      onClick={() => send.mutate()}
    >
      {sentAfter !== null ? 'Sending…' : delivery.status === 'pending' ? 'Retry now' : 'Redeliver'}
    </Button>
  )
}
