import type { Delivery } from '@spoor/contract/schemas/delivery'
import type { Webhook } from '@spoor/contract/schemas/webhook'
import { Fact } from '../ui/fact.tsx'
import { Time, Until } from '../ui/time.tsx'
import { EventNames } from './health-badge.tsx'
import { OutcomeCounts, OutcomeStrip } from './deliveries/outcome-strip.tsx'
import { FORMAT_WORDS } from './format-words.ts'
import { healthOf } from './webhook-health.ts'

interface WebhookSummaryProps {
  readonly webhook: Webhook
  readonly recent: readonly Delivery[] | undefined
  readonly lastSuccess: string | null | undefined
}

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
        <Fact shown className="max-w-xl" label="Events">
          <EventNames events={webhook.events} />
        </Fact>
        {webhook.format !== 'json' && (
          <Fact shown className="max-w-xl" label="Sent as">
            {FORMAT_WORDS[webhook.format].name}
          </Fact>
        )}
        <Fact shown className="max-w-xl" label="Last deliveries">
          <OutcomeStrip recent={recent} />
          <OutcomeCounts recent={recent} />
        </Fact>
        <Fact shown className="max-w-xl" label="Last success">
          {lastSuccess === undefined ? '…' : lastSuccess === null ? 'none yet' : <Time at={lastSuccess} />}
        </Fact>
        <Fact shown className="max-w-xl" label="Created">
          <Time at={webhook.created_at} />
        </Fact>
        {previous_secret_expires_at !== null && (
          <Fact shown className="max-w-xl" label="Secret">
            Rotated. The previous secret also signs until <Until at={previous_secret_expires_at} />
          </Fact>
        )}
      </dl>
    </div>
  )
}
