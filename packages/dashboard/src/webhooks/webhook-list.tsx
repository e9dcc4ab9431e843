import type { Webhook } from '@spoor/contract/schemas/webhook'
import { useRef } from 'react'
import { Link } from '@tanstack/react-router'
import { useRowKeys } from '../lib/hooks/use-row-keys.ts'
import { RECENT, useRecent } from './deliveries/use-recent.ts'
import { Skeleton } from '../ui/states.tsx'
import { TableHead } from '../ui/column-heads.tsx'
import { Time } from '../ui/time.tsx'
import { EventNames, HealthBadge } from './health-badge.tsx'
import { OutcomeCounts, OutcomeStrip } from './deliveries/outcome-strip.tsx'

export function WebhookList({ webhooks }: { webhooks: readonly Webhook[] }) {
  const table = useRef<HTMLTableElement>(null)
  useRowKeys('Webhooks', table)
  return (
    <table ref={table} className="w-full table-fixed text-left text-sm">
      <TableHead
        className="max-md:hidden"
        of={[
          'Receiver',
          ['State', 'w-28'],
          ['Events', 'hidden w-56 lg:table-cell'],
          [`Last ${RECENT} deliveries`, 'w-60'],
          ['Last success', 'w-32 text-right'],
        ]}
      />
      <tbody>
        {webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} />
        ))}
      </tbody>
    </table>
  )
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
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
