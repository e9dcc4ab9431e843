import type { Delivery } from '@spoor/contract/schemas/delivery'
import type { Webhook } from '@spoor/contract/schemas/webhook'
import type { ReactNode } from 'react'
import { Time } from '../ui/time.tsx'
import { Until } from '../ui/until.tsx'
import { EventNames } from './event-names.tsx'
import { OutcomeCounts, OutcomeStrip } from './deliveries/outcome-strip.tsx'
import { FORMAT_WORDS } from './format-words.ts'
import { healthOf } from './webhook-health.ts'

interface WebhookSummaryProps {
  readonly webhook: Webhook
  readonly recent: readonly Delivery[] | undefined
  readonly lastSuccess: string | null | undefined
}

/** A webhook's purpose, events and health. */
export function WebhookSummary({ webhook, recent, lastSuccess }: WebhookSummaryProps) {
  const { tone, detail } = healthOf(webhook, recent)
  const { description, disabled_at, previous_secret_expires_at } = webhook
  return (
    <div className="space-y-3 border-b px-4 py-3">
      {(tone === 'fail' || !webhook.enabled) && (
        <p role="status" className={tone === 'fail' ? 'text-fail' : 'text-muted'}>
          {detail}{' '}
          {disabled_at !== null && (
            <>
              Since <Time at={disabled_at} />.
            </>
          )}
        </p>
      )}
      {description !== '' && (
        <p className="line-clamp-3 max-w-3xl break-words" title={description}>
          <bdi>{description}</bdi>
        </p>
      )}
      <dl className="flex flex-wrap gap-x-10 gap-y-3 text-sm">
        <Fact name="Events">
          <EventNames events={webhook.events} />
        </Fact>
        {webhook.format !== 'json' && <Fact name="Sent as">{FORMAT_WORDS[webhook.format].name}</Fact>}
        <Fact name="Last deliveries">
          <OutcomeStrip recent={recent} />
          <OutcomeCounts recent={recent} />
        </Fact>
        <Fact name="Last success">
          {lastSuccess === undefined ? '…' : lastSuccess === null ? 'none yet' : <Time at={lastSuccess} />}
        </Fact>
        <Fact name="Created">
          <Time at={webhook.created_at} />
        </Fact>
        {previous_secret_expires_at !== null && (
          <Fact name="Secret">
            Rotated. The previous secret also signs until <Until at={previous_secret_expires_at} />
          </Fact>
        )}
      </dl>
    </div>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="max-w-xl min-w-0">{children}</dd>
    </div>
  )
}
