import type { Delivery } from '@spoor/contract/schemas/delivery'
import { useRef } from 'react'
import { useRowKeys } from '../../lib/hooks/use-row-keys.ts'
import { DeliveryRow } from './delivery-row.tsx'

export function DeliveryTable({ rows, openId }: { rows: readonly Delivery[]; openId: string | undefined }) {
  const table = useRef<HTMLTableElement>(null)
  useRowKeys('Deliveries', table)
  return (
    <div className="@container">
      <table ref={table} className="w-full table-fixed text-left text-sm">
        <thead className="text-muted border-b text-xs">
          <tr>
            <th className="py-2 pr-2 pl-4 font-medium">Event</th>
            <th className="w-24 px-2 py-2 font-medium @2xl:w-28">Status</th>
            <th className="hidden w-44 px-2 py-2 font-medium @2xl:table-cell">Last response</th>
            <th className="hidden w-20 px-2 py-2 text-right font-medium @2xl:table-cell">Attempts</th>
            <th className="hidden w-24 px-2 py-2 text-right font-medium @2xl:table-cell">Duration</th>
            <th className="hidden w-32 px-2 py-2 text-right font-medium @2xl:table-cell">Next attempt</th>
            <th className="w-28 py-2 pr-4 pl-2 text-right font-medium">Created</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} open={delivery.id === openId} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
