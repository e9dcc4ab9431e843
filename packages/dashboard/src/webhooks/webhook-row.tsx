import type { Webhook } from '@spoor/contract/schemas/webhook'
import { Link } from '@tanstack/react-router'
import { Skeleton } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { EventNames } from './event-names.tsx'
import { HealthBadge } from './health-badge.tsx'
import { OutcomeCounts, OutcomeStrip } from './deliveries/outcome-strip.tsx'
import { useRecent } from './deliveries/use-recent.ts'

export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { recent, lastSuccess } = useRecent(webhook)
  return (
    <tr className="hover:bg-hover focus-within:bg-hover relative border-b align-top">
      <td className="px-4 py-3">
        <Link
          to="/app/webhooks/$webhookId"
          params={{ webhookId: webhook.id }}
          data-row
          className="font-medium after:absolute after:inset-0"
        >
          <bdi className="line-clamp-2 break-all" title={webhook.url}>
            {webhook.url}
          </bdi>
        </Link>
        {webhook.description !== '' && (
          <p className="text-muted line-clamp-2 text-sm break-words" title={webhook.description}>
            <bdi>{webhook.description}</bdi>
          </p>
        )}
        <div className="mt-1.5 flex flex-wrap items-center gap-2 md:hidden">
          <HealthBadge webhook={webhook} recent={recent} />
          <OutcomeCounts recent={recent} />
        </div>
      </td>
      <td className="hidden px-2 py-3 md:table-cell">
        <HealthBadge webhook={webhook} recent={recent} />
      </td>
      <td className="hidden max-w-0 px-2 py-3 lg:table-cell">
        <EventNames events={webhook.events} />
      </td>
      <td className="hidden px-2 py-3 md:table-cell">
        <OutcomeStrip recent={recent} />
        <OutcomeCounts recent={recent} />
      </td>
      <td className="text-muted hidden px-4 py-3 text-right md:table-cell">
        {lastSuccess === undefined ? (
          <Skeleton className="ml-auto h-4 w-16" />
        ) : lastSuccess === null ? (
          '—'
        ) : (
          <Time at={lastSuccess} className="relative" />
        )}
      </td>
    </tr>
  )
}
