import type { Webhook } from '@spoor/contract/schemas/webhook'
import { useRef } from 'react'
import { useRowKeys } from '../lib/hooks/use-row-keys.ts'
import { RECENT } from './deliveries/use-recent.ts'
import { WebhookRow } from './webhook-row.tsx'

export function WebhookList({ webhooks }: { webhooks: readonly Webhook[] }) {
  const table = useRef<HTMLTableElement>(null)
  useRowKeys('Webhooks', table)
  return (
    <table ref={table} className="w-full table-fixed text-left text-sm">
      <thead className="text-muted hidden border-b text-xs md:table-header-group">
        <tr>
          <th className="px-4 py-2 font-medium">Receiver</th>
          <th className="w-28 px-2 py-2 font-medium">State</th>
          <th className="hidden w-56 px-2 py-2 font-medium lg:table-cell">Events</th>
          <th className="w-60 px-2 py-2 font-medium">Last {RECENT} deliveries</th>
          <th className="w-32 px-4 py-2 text-right font-medium">Last success</th>
        </tr>
      </thead>
      <tbody>
        {webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} />
        ))}
      </tbody>
    </table>
  )
}
